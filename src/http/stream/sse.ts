// Receives a session's feed and a view; returns the SSE stream that a client reads.
// Invariants: each durable event is sent once and in order, however often the feed socket breaks; when a client disconnects,
// only its feed socket is closed; for a client that does not read, the Worker buffers at most `BUFFER_LIMIT` and the last
// message, and of a replay at most `LOW_WATER` and a page.
import { decodeFeedLine, type FeedLine, MORE } from "../../schemas/log/feed-line.ts"
import type { Frame, View } from "../../views/sdk.ts"
import { ClientStream } from "./client-stream.ts"
import { closeSocket, dropFeed, type FeedStart, type OpenFeed } from "../socket/feed-socket.ts"
import type { MediaSource } from "./media-source.ts"
import { encodeComment, encodeFrame, escapeLineEnds, RETRY_FIELD } from "./sse-text.ts"

export const HEARTBEAT_MS = 15_000
/** Frames that arrive together are sent together, up to about this many characters. */
const CHUNK_LENGTH = 64 * 1024
export const BUFFER_LIMIT = 4 * 1024 * 1024
/** The next page of a replay is requested when the client has at most this much unread, in bytes. */
const LOW_WATER = 512 * 1024
/** Pauses before each attempt to reopen the feed. */
export const RETRY_MS = [50, 200, 500, 1000, 2000, 4000] as const
/** After a socket that stayed open this long, the attempts are counted from 0 again. */
const GOOD_MS = 10_000
/** How long a replay waits for a client that has stopped reading. */
export const STALL_MS = 60_000

const TOO_SLOW = "closed because the client reads too slowly"

export interface SseSource {
  /** The feed's socket, which is open but not accepted yet. */
  readonly first: WebSocket
  readonly open: OpenFeed
  /** Durable events up to this seq are not sent. */
  readonly after: FeedStart
  readonly view: View
  /** Only for a feed of facts: its reader, in addition to the view. */
  readonly facts?: FactsReader
  /** Only for a stream that ends with its turn: the last frames when the session was erased before that. */
  readonly gone?: () => ReadonlyArray<Frame>
  /** Reads the media that the feed's lines refer to by marks. */
  readonly media: MediaSource
  /** Whether the stream ends after this line. Without it the stream stays open. */
  readonly until?: (line: FeedLine) => boolean
  /** Aborts when the client has disconnected. */
  readonly signal: AbortSignal
  /** Whether the reader's credential is still valid; called at every heartbeat. */
  readonly stillValid?: () => Promise<boolean>
  /** Called when the feed could not be reopened. */
  readonly onLost: (cause: unknown) => void
}

/** Reads a feed of facts; it also folds events that are not sent. */
export interface FactsReader {
  /** Receives the feed's first line; returns the seq up to which the reader has the log, and the frames to send first. */
  base(line: FeedLine): { readonly after: number; readonly frames: ReadonlyArray<Frame> }
  /** Receives an event that the reader has already, to fold it only. */
  behind(line: FeedLine): void
  /** Called when the replay has caught up; returns frames to send. */
  joined(): ReadonlyArray<Frame>
  /** The last frames when the session was erased. */
  gone(): ReadonlyArray<Frame>
  /** The frame to send as heartbeat; null for a comment. */
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
  /** The seq of the last durable event that the client has, or that is not for it. */
  #cursor: FeedStart
  #live = false
  /** Resumes the replay when the client has read enough; null while no replay is paused. */
  #resume: (() => void) | null = null
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
    // Sends the response's head at once, however long the first event takes.
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

  /** Ends the stream when its credential is no longer valid. While D1 can't be reached, the stream continues. */
  async #checkReader(): Promise<void> {
    const good = await this.#source.stillValid?.().catch(() => true)
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

  /** Continues a paused replay when the client has read enough. */
  #drained(): void {
    const resume = this.#resume
    if (resume === null) return
    clearTimeout(this.#timer)
    if (this.#client.unread > LOW_WATER) return this.#awaitReader(resume)
    this.#resume = null
    resume()
  }

  #attach(socket: WebSocket): void {
    this.#socket = socket
    // As the timers of this stream: real time, of which nothing is logged.
    this.#openedAt = Date.now()
    this.#live = false
    socket.addEventListener("message", ({ data }) => {
      if (typeof data !== "string") return
      if (this.#full) return this.#live ? this.#end(TOO_SLOW) : this.#pause()
      let isPage = false
      for (const text of data.split("\n")) {
        // A line may make the stream close this socket; the lines after it are then read again from the next one.
        if (this.#socket !== socket) break
        const line = decodeFeedLine(text)
        if (line.name === "feed:live") this.#onLive(lastSeq(line))
        else if (line.name === "feed:page") isPage = true
        else this.#onLine(line)
      }
      this.#flush()
      if (isPage && this.#socket === socket) this.#whenRead(() => askForMore(socket))
    })
    const lost = (): void => {
      if (this.#socket !== socket) return
      this.#leave()
      // A run's feed closes after each part of its past events.
      if (this.#client.unread > LOW_WATER) return this.#pause()
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
    this.#resume = null
    clearTimeout(this.#timer)
    if (socket !== null) closeSocket(socket)
  }

  /** The replay has caught up: every event up to `last` was sent, or is not for this stream. */
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
    return this.#client.unread >= BUFFER_LIMIT
  }

  #send(frame: Frame): void {
    this.#write(this.#first ? RETRY_FIELD + encodeFrame(frame) : encodeFrame(frame))
    this.#first = false
  }

  /** Buffers frames until all lines of a message are read, so that the client gets one chunk, not one per event. */
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

  /** Closes the feed during a replay, which is faster than any client; it is reopened when the client has read. */
  #pause(): void {
    this.#leave()
    this.#whenRead(() => void this.#reopen())
  }

  #whenRead(resume: () => void): void {
    if (this.#client.unread > LOW_WATER) this.#awaitReader(resume)
    else resume()
  }

  #awaitReader(resume: () => void): void {
    this.#resume = resume
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

/** Requests the next page. A closed socket needs no request: its `close` event reopens the feed. */
const askForMore = (socket: WebSocket): void => {
  if (socket.readyState === WebSocket.OPEN) socket.send(MORE)
}

/** `{"last_seq": N}` of `feed:live` and `feed:truncated`: the log's last event when the feed was opened. */
const lastSeq = (line: FeedLine): number => Number((JSON.parse(line.json) as { last_seq?: unknown }).last_seq) // ours
