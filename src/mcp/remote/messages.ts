// Receives the body of a server's HTTP response, JSON or a stream of events; returns the JSON-RPC messages in it.
// Invariant: a message of more than MAX_MESSAGE bytes is never kept in memory, and secrets that the server repeats are
// redacted before a message is parsed.
import * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { makeParser } from "effect/encoding/Sse"
import { readUpTo } from "../../net/read-body.ts"
import { parseJson } from "../../schemas/bounded-json.ts"
import { JsonRpcMessage } from "../../schemas/sdk/options/mcp-config.ts"
import { failed } from "./remote-error.ts"

/** The largest message in bytes: enough for the largest image that the Messages API accepts. */
const MAX_MESSAGE = 12 * 1024 * 1024

/** An event of a stream: its name, its id when it has one, and its data. */
export interface StreamEvent {
  readonly event: string
  readonly id: string | undefined
  readonly data: string
}

const isMessage = Schema.is(JsonRpcMessage)

/** The messages in a text, which is one or a list. Invalid messages are left out. Throws RemoteError when it is no JSON. */
export const messagesIn = (text: string, clean: (text: string) => string): ReadonlyArray<JsonRpcMessage> => {
  const parsed = parseJson(clean(text))
  if (Result.isFailure(parsed)) throw failed(`The server's answer ${parsed.failure.message}.`)
  const all: ReadonlyArray<unknown> = Array.isArray(parsed.success) ? parsed.success : [parsed.success]
  return all.filter(isMessage)
}

/** The text of a response that is no stream. Rejects with RemoteError when it is too large. */
export const textOf = async (response: Response): Promise<string> => {
  const { bytes, cut } = await readUpTo(response.body, MAX_MESSAGE)
  if (cut) {
    void response.body?.cancel().catch(() => undefined)
    throw TOO_LARGE
  }
  return new TextDecoder().decode(bytes)
}

const TOO_LARGE = failed(`The server's answer has more than ${MAX_MESSAGE} bytes.`)

/**
 * The events of a stream until it ends; rejects when it breaks off or an event is too large. Leaving the loop early cancels the
 * stream. `onRetry` receives the delay in milliseconds that the server asks for before the stream is opened again.
 */
export async function* eventsOf(
  body: ReadableStream<Uint8Array> | null,
  onRetry: (milliseconds: number) => void = () => undefined,
): AsyncGenerator<StreamEvent> {
  if (body === null) return
  const events: Array<StreamEvent> = []
  const parser = makeParser(
    (event) => {
      if (event._tag === "Event") events.push({ event: event.event, id: event.id, data: event.data })
      else onRetry(Duration.toMillis(event.duration))
    },
    { maxEventSize: MAX_MESSAGE },
  )
  const decoder = new TextDecoder()
  const reader = body.getReader()
  try {
    for (let ended = false; !ended;) {
      const { done, value } = await reader.read()
      const tooLarge = parser.feed(done ? decoder.decode() : decoder.decode(value, { stream: true }))
      yield* events.splice(0)
      if (tooLarge !== undefined) throw TOO_LARGE
      ended = done
    }
  } finally {
    // Cancelling a stream that has ended, or broken off, has no effect.
    void reader.cancel().catch(() => undefined)
  }
}
