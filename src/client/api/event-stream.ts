// Reads a stream of server-sent events, and reconnects when a connection breaks.
// Invariant: an event that has an id is yielded once and in order, however often the connection breaks; a connection that
// stays silent for too long is replaced.
import { ConnectionError, PerchError } from "./perch-error.ts"
import { EventDecoder, type ServerSentEvent } from "./server-sent-events.ts"
import { pauseOf, streamOf, wait } from "./transport.ts"
import { messageOf } from "./message-of.ts"

/** A message of a stream: `id` is its place in the session's log; live fragments have none. */
export interface Streamed<Message> {
  readonly id: number | undefined
  /** `message`, or the name of another event, such as `catch_up_truncated`. */
  readonly event: string
  readonly message: Message
}

export interface EventStreamOptions {
  /** Makes a connection, with a single attempt; `after` is the last id that was yielded. */
  readonly connect: (after: number | undefined, signal: AbortSignal) => Promise<Response>
  readonly signal?: AbortSignal | undefined
  /** The id after which the stream starts. */
  readonly after?: number
  /** How many retries in a row may fail without receiving anything before it gives up. */
  readonly attempts: number
  /** Milliseconds of silence after which a connection counts as dead (45,000); the server sends a comment every 15 s. */
  readonly silenceMs?: number
}

const SILENCE_MS = 45_000
/** The event that is sent when the stream can't continue from the reader's seq: it continues after the event's `last_seq`. */
const TRUNCATED = "catch_up_truncated"

/** How far a stream has been read, over all of its connections. */
interface Position {
  /** The id of the last event that was yielded; before the first one, the id after which the stream starts. */
  last: number | undefined
  /** The least delay before the next connection, as the server has set it. */
  retryMs: number
  /** How many connections in a row have received nothing. */
  failed: number
}

/** Ends by `return`, by `signal`, or with the error of the last attempt to connect. It reconnects when the server closes. */
export async function* readEventStream<Message>(options: EventStreamOptions): AsyncGenerator<Streamed<Message>, never> {
  const { signal, attempts } = options
  const position: Position = { last: options.after, retryMs: 0, failed: 0 }
  for (; ; position.failed += 1) {
    const failure = yield* readConnection<Message>(options, position)
    const pause = pauseOf(position.failed, failure)
    if (position.failed >= attempts || pause === null) throw failure
    await wait(Math.max(pause, position.retryMs), signal)
  }
}

/** Yields the events of one connection, and returns why it ended. Throws an error that no other connection can repair. */
async function* readConnection<Message>(
  { connect, signal, silenceMs = SILENCE_MS }: EventStreamOptions,
  position: Position,
): AsyncGenerator<Streamed<Message>, PerchError> {
  const stop = new AbortController()
  const stopOrSignal = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal])
  try {
    const response = await connect(position.last, stopOrSignal)
    for await (const item of itemsOf(response, silenceMs, stopOrSignal)) {
      position.failed = 0
      if (item.kind === "retry") position.retryMs = item.ms
      if (item.kind !== "event") continue
      const streamed = streamedOf<Message>(item.event)
      const { id } = streamed
      if (id !== undefined && position.last !== undefined && id <= position.last) continue
      const skippedTo = streamed.event === TRUNCATED ? lastSeqIn(streamed.message) : undefined
      position.last = skippedTo ?? id ?? position.last
      yield streamed
    }
    return broken("the server closed the stream")
  } catch (error) {
    signal?.throwIfAborted()
    if (!(error instanceof PerchError) || !error.retryable) throw error
    return error
  } finally {
    stop.abort()
  }
}

const streamedOf = <Message>({ id, event, data }: ServerSentEvent): Streamed<Message> => ({
  id: id === undefined || id === "" ? undefined : Number(id),
  event,
  message: JSON.parse(data) as Message, // the type that the app chose for messages
})

const lastSeqIn = (message: unknown): number | undefined =>
  typeof message === "object" && message !== null && "last_seq" in message && typeof message.last_seq === "number"
    ? message.last_seq
    : undefined

/** Yields the items that a connection receives until it closes; throws a ConnectionError when it breaks or falls silent. */
async function* itemsOf(response: Response, silenceMs: number, signal: AbortSignal) {
  const body = streamOf(response)
  if (body === null) return
  const reader = body.getReader()
  const decoder = new EventDecoder()
  try {
    for (;;) {
      const read = await within(reader.read(), silenceMs, signal)
      if (read.done) return
      yield* decoder.push(read.value)
    }
  } catch (error) {
    throw error instanceof PerchError ? error : broken(messageOf(error), error)
  } finally {
    // Discards the rest of the body; cancelling a broken connection rejects.
    await reader.cancel().catch(() => undefined)
  }
}

const within = async <A>(work: Promise<A>, ms: number, signal: AbortSignal): Promise<A> => {
  // After an abort or a timeout nothing awaits `work`, which may still reject.
  work.catch(() => undefined)
  signal.throwIfAborted()
  let timer: ReturnType<typeof setTimeout> | undefined
  let stop = () => {}
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(broken(`nothing was received for ${Math.round(ms / 1000)} seconds`)), ms)
    stop = () => reject(signal.reason instanceof Error ? signal.reason : new Error("aborted"))
    signal.addEventListener("abort", stop, { once: true })
  })
  try {
    return await Promise.race([work, over])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener("abort", stop)
    // When `work` has settled first, nothing awaits `over`.
    over.catch(() => undefined)
  }
}

const broken = (why: string, cause?: unknown): ConnectionError =>
  new ConnectionError({ type: "connection_error", status: 0, message: `The stream broke: ${why}`, cause })
