// Receives a session's feed and a view; returns the SSE stream that a client reads.
// Invariants: each durable event is sent once and in order, over any number of broken feed sockets; a client that
// leaves closes its feed socket and nothing else; a client that does not read never makes the Worker hold more than
// `BUFFER_LIMIT` and the message that came last.
import { decodeFeedLine, type FeedLine } from "../../schemas/log/feed-line.ts"
import type { Frame, View } from "../../views/sdk.ts"
import { ClientStream } from "./client-stream.ts"
import { closeSocket, dropFeed, type FeedStart, type OpenFeed } from "../socket/feed-socket.ts"
import type { MediaSource } from "./media-source.ts"
import { encodeComment, encodeFrame, escapeLineEnds, RETRY_FIELD } from "./sse-text.ts"

export const HEARTBEAT_MS = 15_000
/** Frames that come together are sent together, up to about this many characters. */
const CHUNK_LENGTH = 64 * 1024
export const BUFFER_LIMIT = 4 * 1024 * 1024
/** Pauses before the feed is opened again. */
export const RETRY_MS = [50, 200, 500, 1000, 2000, 4000] as const
/** A socket that lived this long was a good one: the count of tries begins anew. */
const GOOD_MS = 10_000
/** A replay waits this long for a client that has stopped reading. */
export const STALL_MS = 60_000

const TOO_SLOW = "closed because the client reads too slowly"

export interface SseSource {
  /** The feed, already open, not accepted yet. */
  readonly first: WebSocket
  readonly open: OpenFeed
  /** Durable events up to this seq are not sent. */
  readonly after: FeedStart
  readonly view: View
  /** Of a feed of facts: what reads it beside the view. */
  readonly facts?: FactsReader
  /** Of a stream that ends with its turn: sent last, when the session was erased before that. */
  readonly gone?: () => ReadonlyArray<Frame>
  /** Reads the media that the feed's lines refer to by marks. */
  readonly media: MediaSource
  /** The line after which the stream ends. Without it the stream stays open. */
  readonly until?: (line: FeedLine) => boolean
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal
  /** Whether the reader's credential is good still; asked at every heartbeat. */
  readonly stillGood?: () => Promise<boolean>
  /** Called when the feed stays broken. */
  readonly onLost: (cause: unknown) => void
}

/** What reads a feed of facts: it folds also what is not sent. */
export interface FactsReader {
  /** Takes the feed's first line; returns the place that the reader has, and what is sent before everything else. */
  base(line: FeedLine): { readonly after: number; readonly frames: ReadonlyArray<Frame> }
  /** Takes an event that the reader has. */
  behind(line: FeedLine): void
  /** The replay has caught up. */
  joined(): ReadonlyArray<Frame>
  /** Sent last, when the session was erased. */
  gone(): ReadonlyArray<Frame>
  /** Sent in the place of a comment; null where the view has none. */
  heartbeat(): Frame | null
}

export const SSE_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
} as const

export const sseStream = (source: SseSource): ReadableStream<Uint8Array> => {
  const pump = new Pump(source)
  pump.start()
  return pump.body
}

/** Moves lines from the feed to the client until either side ends. */
class Pump {
  readonly #source: SseSource
  readonly #client: ClientStream
  #heartbeat: ReturnType<typeof setInterval> | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #socket: WebSocket | null = null
  #openedAt = 0
  #tries = 0
  /** The last durable event that the client need not see again. */
  #cursor: FeedStart
  #live = false
  #paused = false
  #ended = false
  #unsent = ""
  #first = true

  constructor(source: SseSource) {
    this.#source = source
    this.#cursor = source.after
    this.#client = new ClientStream({ drained: () => this.#drained(), gone: this.#gone }, source.media)
  }

  get body(): ReadableStream<Uint8Array> {
    return this.#client.readable
  }

  start(): void {
    // The reader has the answer's head at once, whenever the first event comes.
    this.#write(encodeComment("connected"))
    this.#flush()
    this.#heartbeat = setInterval(() => {
      if (!this.#full) this.#beat()
      this.#flush()
      void this.#checkReader()
    }, HEARTBEAT_MS)
    this.#source.signal.addEventListener("abort", this.#gone)
    this.#attach(this.#source.first)
    if (this.#source.signal.aborted) this.#gone()
  }

  #beat(): void {
    const frame = this.#source.facts?.heartbeat() ?? null
    if (frame === null) this.#write(encodeComment("hb"))
    else this.#send(frame)
  }

  /** When D1 can't be asked the stream goes on until the next heartbeat that can. */
  async #checkReader(): Promise<void> {
    const good = await this.#source.stillGood?.().catch(() => true)
    if (good !== false || this.#ended) return
    const error = { type: "authentication_error", message: "The API key or ticket of this stream is no longer valid" }
    this.#send({ id: null, event: "error", data: JSON.stringify({ type: "error", error }) })
    this.#end("the credential is no longer valid")
  }

  readonly #gone = (): void => {
    if (this.#ended) return
    this.#stop()
    this.#client.abort()
  }

  #stop(): void {
    this.#ended = true
    clearInterval(this.#heartbeat)
    clearTimeout(this.#timer)
    this.#source.signal.removeEventListener("abort", this.#gone)
    this.#leave()
  }

  /** The client has read: a replay that waited for it goes on. */
  #drained(): void {
    if (!this.#paused || this.#client.held > BUFFER_LIMIT / 2) return
    this.#paused = false
    clearTimeout(this.#timer)
    void this.#reopen()
  }

  #attach(socket: WebSocket): void {
    this.#socket = socket
    this.#openedAt = Date.now()
    this.#live = false
    socket.addEventListener("message", ({ data }) => {
      if (typeof data !== "string") return
      if (this.#full) return this.#live ? this.#end(TOO_SLOW) : this.#pause()
      for (const text of data.split("\n")) {
        // A line may make the stream leave this socket: what follows is then read again from another.
        if (this.#socket !== socket) break
        const line = decodeFeedLine(text)
        if (line.name === "feed:live") this.#onLive(lastSeq(line))
        else this.#onLine(line)
      }
      this.#flush()
    })
    const lost = (): void => {
      if (this.#socket !== socket) return
      this.#leave()
      if (Date.now() - this.#openedAt > GOOD_MS) this.#tries = 0
      this.#again(new Error("the feed socket closed"))
    }
    socket.addEventListener("close", lost)
    socket.addEventListener("error", lost)
    socket.accept()
  }

  #leave(): void {
    const socket = this.#socket
    this.#socket = null
    if (socket !== null) closeSocket(socket)
  }

  /** The replay is done: whatever is up to `last` was sent, or is not for this stream. */
  #onLive(last: number): void {
    this.#live = true
    if (this.#isNew(last)) this.#cursor = last
    for (const frame of this.#source.facts?.joined() ?? []) this.#send(frame)
  }

  #onBase(line: FeedLine, facts: FactsReader): void {
    const { after, frames } = facts.base(line)
    if (this.#cursor === "head") this.#cursor = after
    for (const frame of frames) this.#send(frame)
  }

  #onLine(line: FeedLine): void {
    if (line.name === "feed:truncated") {
      this.#cursor = lastSeq(line)
      return this.#send({ id: null, event: "catch_up_truncated", data: line.json })
    }
    const { facts } = this.#source
    if (line.name === "feed:base" && facts !== undefined) return this.#onBase(line, facts)
    if (line.seq !== null) {
      if (!this.#isNew(line.seq)) return facts?.behind(line)
      this.#cursor = line.seq
      this.#tries = 0
    }
    for (const frame of this.#source.view(line)) this.#send(frame)
    if (this.#source.until?.(line) === true) this.#end()
  }

  #isNew(seq: number): boolean {
    return this.#cursor === "head" || seq > this.#cursor
  }

  get #full(): boolean {
    return this.#client.held >= BUFFER_LIMIT
  }

  #send(frame: Frame): void {
    this.#write(this.#first ? RETRY_FIELD + encodeFrame(frame) : encodeFrame(frame))
    this.#first = false
  }

  /** Keeps a line's frames until all lines of its message are read: one chunk for the client, not one per event. */
  #write(text: string): void {
    this.#unsent += text
    if (this.#unsent.length >= CHUNK_LENGTH) this.#flush()
  }

  #flush(): void {
    if (this.#unsent === "" || this.#ended) return
    this.#client.write(escapeLineEnds(this.#unsent))
    this.#unsent = ""
  }

  #end(comment?: string): void {
    if (this.#ended) return
    if (comment !== undefined) this.#write(encodeComment(`${comment}; resume after ${this.#cursor}`))
    this.#flush()
    this.#stop()
    this.#client.close()
  }

  /** A log comes faster than any client reads it: the feed is left, and opened again when the client has read. */
  #pause(): void {
    this.#leave()
    this.#paused = true
    this.#timer = setTimeout(() => this.#end(TOO_SLOW), STALL_MS)
  }

  #again(cause: unknown): void {
    const pause = RETRY_MS[this.#tries]
    this.#tries += 1
    if (pause !== undefined) {
      this.#timer = setTimeout(() => void this.#reopen(), pause)
      return
    }
    this.#source.onLost(cause)
    this.#end("the connection to the session is lost")
  }

  #erased(): void {
    const { facts, gone } = this.#source
    for (const frame of [...(facts?.gone() ?? []), ...(gone?.() ?? [])]) this.#send(frame)
    this.#end("the session is gone")
  }

  async #reopen(): Promise<void> {
    try {
      const feed = await this.#source.open(this.#cursor)
      if (this.#ended) return dropFeed(feed)
      if (feed.ok) return this.#attach(feed.value)
      if (feed.error.type === "not_found_error") return this.#erased()
      this.#again(feed.error)
    } catch (cause) {
      if (!this.#ended) this.#again(cause)
    }
  }
}

/** `{"last_seq": N}` of `feed:live` and `feed:truncated`: the log's last event when the feed was opened. */
const lastSeq = (line: FeedLine): number => Number((JSON.parse(line.json) as { last_seq?: unknown }).last_seq) // ours
