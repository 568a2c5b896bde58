// Receives a line of a feed of facts; returns the event in it.
// Invariant: media stay media marks, in the form of this process.
import type { FeedLine } from "../../schemas/log/feed-line.ts"
import { fromStoredText } from "../../schemas/log/media-mark.ts"
import type { ViewEvent } from "./live-view.ts"
import type { SessionBase } from "./session-base.ts"

export const readFact = ({ seq, at, turn, name, json }: FeedLine): ViewEvent => {
  // Written by the feed: an object with `uuid`, `parent` and the `payload` that belongs to the name.
  const fields = JSON.parse(fromStoredText(json)) as Pick<ViewEvent, "uuid" | "parent" | "payload" | "moved">
  return { seq, at, turn, name, ...fields } as ViewEvent
}

/** Content of `feed:base`: the seq after which the reader asked to start, and the session before the feed's first event. */
export interface FeedBase {
  readonly after: number
  readonly base: SessionBase
}

export const readBase = ({ json }: FeedLine): FeedBase => JSON.parse(fromStoredText(json)) as FeedBase // the feed wrote it
