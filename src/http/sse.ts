// Receives a session's feed and a view; returns the SSE stream that a client reads.
// Invariants: each durable event is sent once and in order, over any number of broken feed sockets; a client that
// leaves closes its feed socket and nothing else; a client that does not read never makes the Worker hold more than
// `BUFFER_LIMIT`.
import { decodeFeedLine, type FeedLine } from "../schemas/session-rpc.ts"
import type { Frame, View } from "../views/sdk.ts"
import { closeSocket, dropFeed, type OpenFeed } from "./feed-socket.ts"

export const HEARTBEAT_MS = 15_000
export const BUFFER_LIMIT = 4 * 1024 * 1024
/** Pauses before the feed is opened again. */
export const RETRY_MS = [50, 200, 500, 1000, 2000, 4000] as const
/** A socket that lived this long was a good one: the count of tries begins anew. */
const GOOD_MS = 10_000

export interface SseSource {
  /** The feed, already open, not accepted yet. */
  readonly first: WebSocket
  readonly open: OpenFeed
  /** Durable events up to this seq are not sent. */
  readonly after: number
  /** True when `first` was opened at the head: if that is beyond `after`, the feed is opened again at `after`. */
  readonly firstAtHead?: boolean
  readonly view: View
  /** The line after which the stream ends. Without it the stream stays open. */
  readonly until?: (line: FeedLine) => boolean
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal
  /** Told when the feed stays broken. */
  readonly onLost: (cause: unknown) => void
}

export const SSE_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
} as const

/** A frame as SSE text. */
export const encodeFrame = ({ id, event, data }: Frame): string =>
  `${id === null ? "" : `id: ${id}\n`}${event === undefined ? "" : `event: ${event}\n`}data: ${data}\n\n`

export const sseStream = (source: SseSource): ReadableStream<Uint8Array> => {
  let stop: () => void = () => undefined
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        stop = pump(source, controller)
      },
      cancel: () => stop(),
    },
    { highWaterMark: BUFFER_LIMIT, size: (chunk) => chunk?.byteLength ?? 0 },
  )
}

const encoder = new TextEncoder()

/** Moves lines from the feed to the controller until either side ends. Returns how to stop it. */
const pump = (source: SseSource, controller: ReadableStreamDefaultController<Uint8Array>): (() => void) => {
  let cursor = source.after
  let socket: WebSocket | null = null
  let openedAt = 0
  let tries = 0
  let ended = false
  let retry: ReturnType<typeof setTimeout> | undefined

  const stop = (): void => {
    ended = true
    clearInterval(heartbeat)
    clearTimeout(retry)
    source.signal.removeEventListener("abort", stop)
    leave()
  }

  const leave = (): void => {
    const left = socket
    socket = null
    if (left !== null) closeSocket(left)
  }

  const end = (comment?: string): void => {
    if (ended) return
    if (comment !== undefined) controller.enqueue(encoder.encode(`: ${comment}; resume after ${cursor}\n\n`))
    stop()
    controller.close()
  }

  const write = (text: string): void => {
    if (ended) return
    if ((controller.desiredSize ?? 0) <= 0) return end("closed because the client reads too slowly")
    controller.enqueue(encoder.encode(text))
  }

  const onLine = (line: FeedLine): void => {
    if (line.name === "feed:truncated") {
      cursor = headOf(line)
      return write(encodeFrame({ id: null, event: "catch_up_truncated", data: line.json }))
    }
    if (line.seq !== null && line.seq <= cursor) return
    for (const frame of source.view(line)) write(encodeFrame(frame))
    if (ended) return
    if (line.seq !== null) {
      cursor = line.seq
      tries = 0
    }
    if (source.until?.(line) === true) end()
  }

  const attach = (next: WebSocket, atHead: boolean): void => {
    socket = next
    openedAt = Date.now()
    next.addEventListener("message", ({ data }) => {
      if (socket !== next || typeof data !== "string") return
      const line = decodeFeedLine(data)
      if (line.name !== "feed:live") return onLine(line)
      if (atHead && headOf(line) > cursor) {
        leave()
        void reopen()
      }
    })
    const lost = (): void => {
      if (socket !== next) return
      leave()
      if (Date.now() - openedAt > GOOD_MS) tries = 0
      again(new Error("the feed socket closed"))
    }
    next.addEventListener("close", lost)
    next.addEventListener("error", lost)
    next.accept()
  }

  const again = (cause: unknown): void => {
    const pause = RETRY_MS[tries]
    tries += 1
    if (pause !== undefined) {
      retry = setTimeout(() => void reopen(), pause)
      return
    }
    source.onLost(cause)
    end("the connection to the session is lost")
  }

  const reopen = async (): Promise<void> => {
    try {
      const feed = await source.open(cursor)
      if (!feed.ok) return feed.error.type === "not_found_error" ? end("the session is gone") : again(feed.error)
      if (!ended) return attach(feed.value, false)
      dropFeed(feed)
    } catch (cause) {
      if (!ended) again(cause)
    }
  }

  const heartbeat = setInterval(() => write(": hb\n\n"), HEARTBEAT_MS)
  source.signal.addEventListener("abort", stop)
  write("retry: 1000\n\n")
  attach(source.first, source.firstAtHead === true)
  if (source.signal.aborted) stop()
  return stop
}

/** `{"last_seq": N}` of `feed:live` and `feed:truncated`: the log's last event when the feed was opened. */
const headOf = (line: FeedLine): number => Number((JSON.parse(line.json) as { last_seq?: unknown }).last_seq) // ours
