// Receives the seq after which a reader of facts starts; returns where its feed starts, and the line with the session's state
// before that: the reader then folds up to its own seq without showing anything.
// Invariant: the feed starts with the earliest turn that is open at the reader's seq, so that later lines do not depend on
// where the reader started.
import { encodeFeedLine } from "../../schemas/log/feed-line.ts"
import { toStoredText } from "../../schemas/log/media-mark.ts"
import type { FeedBase } from "../../views/live/fact-line.ts"
import { type BaseSource, baseAt } from "./base-at.ts"

/** The seq after which the feed of facts starts for a reader that has everything up to `after`. */
export const factsStart = ({ inbox }: Pick<BaseSource, "inbox">, after: number): number =>
  after === 0 ? 0 : Math.min(after, (inbox.firstOpenAt(after) ?? after + 1) - 1)

export const baseLine = (core: BaseSource, start: number, after: number): string => {
  const json = toStoredText(JSON.stringify({ after, base: baseAt(core, start) } satisfies FeedBase))
  return encodeFeedLine({ seq: null, at: 0, turn: null, name: "feed:base", json })
}
