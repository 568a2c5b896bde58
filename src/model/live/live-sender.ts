// Receives a request; sends it and resolves to the API's response once its headers have arrived.
// Invariant: a failure rejects with the SDK's own error classes, and nothing is retried.
import type { BaseAnthropic } from "@anthropic-ai/sdk/client"
import { APIConnectionError, APIError } from "@anthropic-ai/sdk/error"
import * as Result from "effect/Result"
import { parseJson } from "../../schemas/bounded-json.ts"
import { readUpTo } from "../../net/read-body.ts"
import { CallClock, type LiveCall } from "./live-call.ts"
import { type MediaBytes, mediaBody } from "../request/media-body.ts"
import type { MessagesRequest, RequestContext } from "../messages-api.ts"
import { RequestWriter } from "../request/request-json.ts"

/** How many bytes of an error's body are read: a proxy may answer with a whole page. */
const ERROR_BYTES = 64 * 1024
/** The longest delay that a timer accepts. */
const NO_TIMEOUT_MS = 2_147_483_647

/** The URL and headers of requests that differ only in their body. `key` identifies them. */
interface Prepared {
  readonly key: string
  readonly url: string
  readonly headers: Headers
}

export class LiveSender {
  readonly clock = new CallClock()
  /** Texts that no error may contain. */
  readonly secrets: ReadonlyArray<string>
  readonly #client: BaseAnthropic
  readonly #writer = new RequestWriter()
  readonly #media: MediaBytes
  /** The latest one: a session's steps share it, since preparing a request costs as much as sending it. */
  #prepared: Prepared | null = null

  constructor(client: BaseAnthropic, secrets: ReadonlyArray<string>, media: MediaBytes) {
    this.#client = client
    this.secrets = secrets
    this.#media = media
  }

  async send(request: MessagesRequest, stream: boolean, context: RequestContext, call: LiveCall): Promise<Response> {
    const key = JSON.stringify([stream, context.sessionId, context.betas])
    const prepared = this.#prepared?.key === key ? this.#prepared : await this.#prepare(key, context)
    const { url, headers } = prepared
    const { body, marked } = this.#writer.write(request, stream)
    const sent = marked ? mediaBody(body, this.#media) : { body }
    const init = { method: "POST", headers, ...sent, signal: call.signal }
    const response = await fetch(url, init).catch((cause: unknown) => {
      throw new APIConnectionError({ cause: cause instanceof Error ? cause : new Error(String(cause)) })
    })
    if (response.ok) return response
    const text = await readUpTo(response.body, ERROR_BYTES).then(
      ({ bytes }) => new TextDecoder().decode(bytes),
      () => "",
    )
    throw APIError.generate(response.status, objectOf(text), text, response.headers)
  }

  async #prepare(key: string, { sessionId, betas }: RequestContext): Promise<Prepared> {
    // Not `messages.create`: it writes to the console for older models, and its stream drops unknown fields.
    const { req, url } = await this.#client.buildRequest({
      method: "post",
      path: "/v1/messages",
      // The call has its own deadline, which aborts it.
      timeout: NO_TIMEOUT_MS,
      headers: {
        "content-type": "application/json",
        "x-perch-session-id": sessionId,
        ...(betas.length === 0 ? {} : { "anthropic-beta": betas.join(",") }),
      },
    })
    // The SDK's headers about its own runtime and retries would be wrong here, and each header costs bytes.
    const headers = new Headers([...req.headers].filter(([name]) => !name.startsWith("x-stainless-")))
    this.#prepared = { key, url, headers }
    return this.#prepared
  }
}

/** The JSON object in a text; undefined when it has none. */
const objectOf = (text: string): object | undefined => {
  const value = Result.getOrUndefined(parseJson(text))
  return typeof value === "object" && value !== null ? value : undefined
}
