// Receives the body of a response; returns it as a stream that fails beyond its bounds and reports each chunk to the call's
// timeouts.
// Invariant: a chunk is read only when the consumer pulls it.
import type { LiveCall } from "../../model/live/live-call.ts"

/** Maximum sizes of a body, in bytes. */
export interface BodyBounds {
  readonly whole: number
  /** From one empty line to the next: the reader of a stream keeps one event in memory. */
  readonly event: number
}

/** The body is longer than one of its bounds. */
export class TooLong extends Error {}

const LINE_FEED = 10
const CARRIAGE_RETURN = 13

export const boundedBody = (
  body: Response["body"],
  bounds: BodyBounds,
  call: Pick<LiveCall, "progressed" | "ended">,
): ReadableStream<Uint8Array> | null => {
  if (body === null) return null
  const reader = body.getReader()
  const exceeds = boundsCheck(bounds)
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { done, value } = await reader.read()
        if (done) {
          call.ended()
          return controller.close()
        }
        if (exceeds(value)) {
          await reader.cancel()
          throw new TooLong("The answer is too long.")
        }
        call.progressed()
        controller.enqueue(value)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}

/** Returns a function that receives a body's chunks in order, and returns true for a chunk that exceeds a bound. */
const boundsCheck = (bounds: BodyBounds): ((chunk: Uint8Array) => boolean) => {
  let whole = 0
  let event = 0
  let line = 0
  return (chunk) => {
    whole += chunk.byteLength
    if (whole > bounds.whole) return true
    for (const byte of chunk) {
      event += 1
      if (byte === LINE_FEED) {
        if (line === 0) event = 0
        line = 0
      } else if (byte !== CARRIAGE_RETURN) line += 1
      if (event > bounds.event) return true
    }
    return false
  }
}
