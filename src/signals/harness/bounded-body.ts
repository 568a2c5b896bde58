// Receives the body of an answer; returns it as a stream that fails beyond its bounds and tells the call's clock of each
// chunk.
// Invariant: a chunk is read when it is asked for, not before.
import type { LiveCall } from "../../model/live/live-call.ts"

/** In bytes. */
export interface BodyBounds {
  readonly whole: number
  /** From one line feed to the next: what reads lines holds one at a time. */
  readonly line: number
}

const LINE_FEED = 10

export const boundedBody = (
  body: Response["body"],
  bounds: BodyBounds,
  call: Pick<LiveCall, "progressed" | "ended">,
): ReadableStream<Uint8Array> | null => {
  if (body === null) return null
  const reader = body.getReader()
  let size = 0
  let line = 0
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { done, value } = await reader.read()
        if (done) {
          call.ended()
          return controller.close()
        }
        size += value.byteLength
        const feed = value.lastIndexOf(LINE_FEED)
        line = feed === -1 ? line + value.byteLength : value.byteLength - feed - 1
        if (size > bounds.whole || line > bounds.line) {
          await reader.cancel()
          throw new RangeError("the answer is too long")
        }
        call.progressed()
        controller.enqueue(value)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}
