// A small client of the HTTP API for tests: requests with a time limit, a session's operations, and SSE streams.
// Invariant: no call waits forever, and an unexpected status is an error that shows the body.
import { randomUUID } from "node:crypto"
import { setTimeout as delay } from "node:timers/promises"
import { checkedAnswer } from "../contract/checked-answer.ts"
import { readSse } from "./sse.ts"

const REQUEST_LIMIT_MS = 30_000
const STREAM_LIMIT_MS = 50_000

/** A content block of a message. */
export interface Block {
  readonly type: string
  readonly id?: string
  readonly name?: string
  readonly text?: string
  readonly thinking?: string
  readonly input?: Readonly<Record<string, unknown>>
  readonly tool_use_id?: string
  readonly content?: unknown
  readonly is_error?: boolean
  readonly cache_control?: unknown
}

/** The fields of an SDKMessage that tests use. */
export interface Message {
  readonly type: string
  readonly subtype?: string
  readonly uuid?: string
  readonly session_id?: string
  readonly parent_tool_use_id?: string | null
  readonly message?: { readonly id?: string; readonly role: string; readonly content: string | ReadonlyArray<Block> }
  readonly event?: {
    readonly type: string
    readonly index?: number
    readonly content_block?: Block
    readonly delta?: {
      readonly type: string
      readonly text?: string
      readonly thinking?: string
      readonly partial_json?: string
    }
  }
  readonly state?: string
  readonly result?: string
  readonly is_error?: boolean
  readonly num_turns?: number
  readonly total_cost_usd?: number
  readonly permission_denials?: ReadonlyArray<unknown>
  readonly tool_use_result?: unknown
}

export interface Event {
  readonly seq: number
  readonly name: string
  readonly uuid: string
  readonly turn: string | null
  readonly at: number
  readonly payload: Message & Readonly<Record<string, unknown>>
}

export interface Ask {
  readonly request_id: string
  readonly kind: string
  readonly turn_id: string
  readonly tool_name: string
  readonly tool_use_id: string
  readonly input: Readonly<Record<string, unknown>>
}

export interface Received {
  readonly seq: number | undefined
  readonly message: Message
}

export interface StreamOptions {
  readonly after?: number
  readonly lastEventId?: string
  readonly format?: string
  /** Called with every message as it arrives; true ends the stream. */
  readonly until?: (message: Message, seq: number | undefined) => boolean
  readonly limitMs?: number
}

export interface RequestOptions {
  readonly json?: unknown
  readonly body?: string | Uint8Array<ArrayBuffer>
  readonly headers?: Readonly<Record<string, string>>
  readonly key?: string | null
  readonly signal?: AbortSignal
  readonly limitMs?: number
}

export class PerchClient {
  readonly url: string
  readonly key: string

  constructor(server: { readonly url: string; readonly key: string }) {
    this.url = server.url
    this.key = server.key
  }

  withKey(key: string): PerchClient {
    return new PerchClient({ url: this.url, key })
  }

  /** Sends a request, and accepts any status; an answer that does not match the OpenAPI document is an error. */
  async request(method: string, route: string, options: RequestOptions = {}): Promise<Response> {
    const limit = AbortSignal.timeout(options.limitMs ?? REQUEST_LIMIT_MS)
    const key = options.key === undefined ? this.key : options.key
    const headers = {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(options.json === undefined ? {} : { "content-type": "application/json" }),
      ...options.headers,
    }
    const body = options.json === undefined ? options.body : JSON.stringify(options.json)
    const response = await fetch(this.url + route, {
      method,
      headers,
      signal: options.signal === undefined ? limit : AbortSignal.any([limit, options.signal]),
      ...(body === undefined ? {} : { body }),
    })
    return checkedAnswer(method, this.url + route, response)
  }

  /** Sends a request that must return `status`; returns its JSON. The caller names its type. */
  async json<A = Readonly<Record<string, unknown>>>(
    method: string,
    route: string,
    options: RequestOptions & { readonly status?: number } = {},
  ): Promise<A> {
    const response = await this.request(method, route, options)
    const text = await response.text()
    const expected = options.status ?? 200
    if (response.status !== expected)
      throw new Error(`${method} ${route}: ${response.status}, not ${expected}: ${text}`)
    return JSON.parse(text) as A // the shape is what the test then asserts
  }

  /** Creates a session and returns its id. */
  async createSession(options: Readonly<Record<string, unknown>> = {}, files: Readonly<Record<string, string>> = {}) {
    const id = randomUUID()
    await this.json("POST", "/v1/sessions", { json: { id, options }, status: 201 })
    for (const [path, content] of Object.entries(files)) await this.putFile(id, path, content)
    return id
  }

  async putFile(id: string, path: string, content: string): Promise<void> {
    const response = await this.request("PUT", `/v1/sessions/${id}/files${path}`, { body: content })
    if (!response.ok) throw new Error(`PUT ${path}: ${response.status} ${await response.text()}`)
  }

  /** A file's text, or null if it does not exist. */
  async getFile(id: string, path: string): Promise<string | null> {
    const response = await this.request("GET", `/v1/sessions/${id}/files${path}`)
    if (response.status === 404) return null
    if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`)
    return response.text()
  }

  /** Runs a prompt and returns its messages up to the result. */
  async query(
    id: string,
    prompt: string,
    more: Readonly<Record<string, unknown>> = {},
  ): Promise<ReadonlyArray<Message>> {
    const response = await this.request("POST", `/v1/sessions/${id}/query`, {
      json: { prompt, ...more },
      headers: { accept: "text/event-stream" },
      limitMs: STREAM_LIMIT_MS,
    })
    const received = await this.collect(response, { until: (message) => message.type === "result" })
    return received.map(({ message }) => message)
  }

  /** Queues a prompt without waiting for it; returns the turn's id. */
  async submit(id: string, prompt: string, more: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const accepted = await this.json<{ turn_id: string }>("POST", `/v1/sessions/${id}/query`, {
      json: { prompt, ...more },
      headers: { prefer: "respond-async" },
      status: 202,
    })
    return accepted.turn_id
  }

  /** Reads the session's live stream until `until` returns true. */
  async stream(id: string, options: StreamOptions = {}): Promise<ReadonlyArray<Received>> {
    const query = new URLSearchParams()
    if (options.after !== undefined) query.set("after", String(options.after))
    if (options.format !== undefined) query.set("format", options.format)
    const response = await this.request("GET", `/v1/sessions/${id}/events/stream?${query}`, {
      headers: options.lastEventId === undefined ? {} : { "last-event-id": options.lastEventId },
      limitMs: options.limitMs ?? STREAM_LIMIT_MS,
    })
    return this.collect(response, options)
  }

  /** The messages of an SSE answer, until `until` returns true or it ends. */
  async collect(response: Response, { until }: StreamOptions = {}): Promise<ReadonlyArray<Received>> {
    if (response.status !== 200 || response.body === null) {
      throw new Error(`the stream answered ${response.status}: ${await response.text()}`)
    }
    const received: Array<Received> = []
    for await (const item of readSse(response.body)) {
      if (item.kind === "comment") continue
      const message = JSON.parse(item.frame.data) as Message // the server sends SDKMessages here
      const seq = item.frame.id === undefined ? undefined : Number(item.frame.id)
      received.push({ seq, message })
      if (until?.(message, seq) === true) break
    }
    return received
  }

  /** The whole log of a session. */
  async events(id: string): Promise<ReadonlyArray<Event>> {
    const events: Array<Event> = []
    for (let after = 0; ;) {
      const page = await this.json<{ events: ReadonlyArray<Event>; has_more: boolean }>(
        "GET",
        `/v1/sessions/${id}/events?limit=500&after=${after}`,
      )
      events.push(...page.events)
      const last = page.events.at(-1)
      if (!page.has_more || last === undefined) return events
      after = last.seq
    }
  }

  /** The log, once it contains `count` results. Polls every 50 ms, within the time limit. */
  async eventsUntilResults(id: string, count: number, limitMs = STREAM_LIMIT_MS): Promise<ReadonlyArray<Event>> {
    return eventually(async () => {
      const events = await this.events(id)
      const results = events.filter(({ name }) => name.startsWith("sdk:result"))
      return results.length >= count ? events : undefined
    }, limitMs)
  }

  asks(id: string): Promise<ReadonlyArray<Ask>> {
    return this.json<{ pending: ReadonlyArray<Ask> }>("GET", `/v1/sessions/${id}/permissions`).then(
      (body) => body.pending,
    )
  }

  answer(id: string, requestId: string, answer: Readonly<Record<string, unknown>>, status = 200) {
    return this.json("POST", `/v1/sessions/${id}/permissions/${requestId}`, { json: answer, status })
  }
}

/** Polls every 50 ms until there is an answer; throws if there is none in time. */
export const eventually = async <A>(ask: () => Promise<A | undefined>, limitMs = 20_000): Promise<A> => {
  const deadline = Date.now() + limitMs
  for (;;) {
    const answer = await ask()
    if (answer !== undefined) return answer
    if (Date.now() > deadline) throw new Error(`not within ${limitMs} ms: ${ask.toString().slice(0, 200)}`)
    await delay(50)
  }
}

/** The content blocks of a message. */
export const blocksOf = (message: Message): ReadonlyArray<Block> =>
  typeof message.message?.content === "string" ? [] : (message.message?.content ?? [])
