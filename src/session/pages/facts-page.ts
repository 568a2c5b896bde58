// Receives a query on a session's log; returns that page as the lines of a feed of facts.
// Invariant: the page follows the lines from which a view folds the state at its start; the last line has `has_more`,
// `next_after` and `last_seq`, as pages of events have.
import { encodeFeedLine } from "../../schemas/log/feed-line.ts"
import { toStoredText } from "../../schemas/log/media-mark.ts"
import { byteStream } from "../../net/byte-stream.ts"
import { PAGE_BYTES } from "../../views/parts/message-page.ts"
import type { BaseSource } from "../feed/base-at.ts"
import { baseLine, factsStart } from "../feed/base-line.ts"
import { movedBy } from "../feed/moved-by.ts"
import { factLine } from "../feed/fact-lines.ts"

const encoder = new TextEncoder()

/** `GET /facts?after=N&limit=N`; the Worker has checked the query. */
export const factsPage = (core: BaseSource, { searchParams }: URL): Response => {
  const after = Math.min(Number(searchParams.get("after")), core.log.lastSeq)
  const limit = Number(searchParams.get("limit"))
  return new Response(byteStream(linesOf(core, after, limit)))
}

function* linesOf(core: BaseSource, after: number, limit: number): Generator<Uint8Array> {
  const { log } = core
  const start = factsStart(core, after)
  const { events, more } = log.page({ after, limit, order: "asc" }, PAGE_BYTES)
  const through = events.at(-1)?.event.seq ?? after
  const place = { has_more: more, next_after: more ? through : Math.max(log.lastSeq, after), last_seq: log.lastSeq }
  const line = (text: string): Uint8Array => encoder.encode(`${text}\n`)
  yield line(baseLine(core, start, after))
  for (const stored of log.all(start)) {
    if (stored.event.seq > through) break
    yield line(factLine(stored, movedBy(core, stored.event)))
  }
  const json = toStoredText(JSON.stringify(place))
  yield line(encodeFeedLine({ seq: null, at: 0, turn: null, name: "feed:page", json }))
}
