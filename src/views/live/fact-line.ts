// Receives a line of a feed of facts; returns the event that it holds.
// Invariant: media stay marks, as this process writes them.
import type { FeedLine } from "../../schemas/log/feed-line.ts"
import { fromStoredText } from "../../schemas/log/media-mark.ts"
import type { ViewEvent } from "./live-view.ts"
import type { SessionBase } from "./session-base.ts"

export const readFact = ({ seq, at, turn, name, json }: FeedLine): ViewEvent => {
  // The feed wrote it: an object with `uuid`, `parent` and `payload`, as the name has it.
  const held = JSON.parse(fromStoredText(json)) as Pick<ViewEvent, "uuid" | "parent" | "payload" | "moved">
  return { seq, at, turn, name, ...held } as ViewEvent
}

/** What `feed:base` says: where the reader asked to begin, and the session before the first event of the feed. */
export interface FeedBase {
  readonly after: number
  readonly base: SessionBase
}

export const readBase = ({ json }: FeedLine): FeedBase => JSON.parse(fromStoredText(json)) as FeedBase // the feed wrote it
