// Receives the place that a reader of facts wants to begin behind; returns where its feed begins, and the line that says what the
// session was before that: the reader then folds up to its place in silence.
// Invariant: the feed begins with the earliest turn that is open at the reader's place, so that what is sent behind it does not
// depend on where the reader began. A long log is searched only where its facts have changed since.
import { EventNames, type LogEvent } from "../../schemas/log/events.ts"
import { encodeFeedLine } from "../../schemas/log/feed-line.ts"
import { toStoredText } from "../../schemas/log/media-mark.ts"
import { maskOptions } from "../../schemas/sdk/options/masked-options.ts"
import type { FeedBase } from "../../views/live/fact-line.ts"
import { viewEventOf } from "../../views/live/fold-events.ts"
import { BASE_NAMES, EMPTY_BASE, foldBase, type SessionBase } from "../../views/live/session-base.ts"
import type { SessionCore } from "../core.ts"
import { headPathOf } from "../storage/head.ts"

/** What is read of a session. */
export type BaseSource = Pick<SessionCore, "log" | "inbox" | "record" | "todos">

/** The seq after which the feed of facts begins for a reader who has everything up to `after`. */
export const factsStart = ({ inbox }: Pick<BaseSource, "inbox">, after: number): number =>
  after === 0 ? 0 : Math.min(after, (inbox.firstOpenAt(after) ?? after + 1) - 1)

export const baseLine = (core: BaseSource, start: number, after: number): string => {
  const json = toStoredText(JSON.stringify({ after, base: baseAt(core, start) } satisfies FeedBase))
  return encodeFeedLine({ seq: null, at: 0, turn: null, name: "feed:base", json })
}

/** The session right after the event `seq`. */
export const baseAt = (core: BaseSource, seq: number): SessionBase => {
  if (seq === 0) return EMPTY_BASE
  const now = baseNow(core)
  for (const { event } of core.log.all(seq)) if (touches(now, event)) return pastBase(core, seq)
  return { ...now, seq }
}

/** Whether the event may have changed what views know of the session. */
const touches = (base: SessionBase, event: LogEvent): boolean =>
  event.name === EventNames.headMoved || foldBase({ ...base, seq: 0 }, viewEventOf(event)).seq !== 0

const baseNow = (core: BaseSource): SessionBase => {
  const { log, record } = core
  const { title, cwd, metadata, options, created_at } = record
  const init = log.lastNamed("sdk:system/init")?.event.payload
  return {
    seq: log.lastSeq,
    title,
    cwd,
    created_at,
    metadata,
    options: maskOptions(options),
    ...(init === undefined ? {} : { model: init.model, permissionMode: init.permissionMode, tools: init.tools }),
    todos: core.todos(),
  }
}

/** A fold of the events that matter, along the head's path as it was. */
const pastBase = ({ log }: BaseSource, seq: number): SessionBase => {
  const path = headPathOf(log, seq)
  const names = [...BASE_NAMES, "sdk:user"]
  let base = EMPTY_BASE
  for (let after = 0; ;) {
    const page = log.read({ after, limit: 200, order: "asc", among: { names, through: seq } })
    for (const { event } of page) if (path.has(event.seq)) base = foldBase(base, viewEventOf(event))
    const last = page.at(-1)
    if (last === undefined) return { ...base, seq }
    after = last.event.seq
  }
}
