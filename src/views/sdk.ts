// Receives a line of the log's feed; returns its SSE frames in the SDK's vocabulary; none for a line that is no SDKMessage.
// Invariant: a payload is passed on as it is stored.
import type { FeedLine } from "../schemas/log/feed-line.ts"

/** One SSE frame. `id` is the seq of a durable event: a reader that resumes after it misses nothing. */
export interface Frame {
  readonly id: number | null
  readonly data: string
  readonly event?: string
}

/** A view turns feed lines into frames; of several frames only the last has an id. */
export type View = (line: FeedLine) => ReadonlyArray<Frame>

const NOTHING: ReadonlyArray<Frame> = []

export const sdkView: View = (line) => (line.name.startsWith("sdk:") ? [{ id: line.seq, data: line.json }] : NOTHING)

/** True for the line that ends a turn. */
export const isResult = (line: FeedLine): boolean => line.name === "sdk:result" || line.name.startsWith("sdk:result/")
