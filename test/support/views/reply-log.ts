// Views of a run over hand-written logs: what they send, and what a channel sends of it.
import { agentEventsView } from "../../../src/views/agent-events/agent-events-view.ts"
import { viewEventOf } from "../../../src/views/live/view-event.ts"
import type { LiveView, ViewEvent } from "../../../src/views/live/live-view.ts"
import { EMPTY_BASE } from "../../../src/views/live/session-base.ts"
import type { ReplyQuery } from "../../../src/views/reply/reply-query.ts"
import { replyView } from "../../../src/views/reply/reply-view.ts"
import { SESSION, TurnLog } from "../session/turn-log.ts"

export type Fields = Readonly<Record<string, unknown>>

/** A messaging tool. */
export const SLACK = { name: "mcp__slack__post", text: "message", to: "channel", provider: { value: "slack" } }

export const startOf = (options: ReplyQuery, session: Fields = {}) => ({
  sessionId: SESSION,
  base: { ...EMPTY_BASE, options: session },
  options,
})

export const framesOf = (view: LiveView, events: Iterable<ViewEvent>): ReadonlyArray<Fields> =>
  Array.from(events, (event) => view.apply(event)).flatMap((frames) =>
    frames.map(({ data }) => JSON.parse(data) as Fields),
  )

export const reply = (log: TurnLog, options: ReplyQuery = {}, session: Fields = {}) =>
  framesOf(replyView(startOf(options, session)), log.events.map(viewEventOf))

export const agentEvents = (log: TurnLog, session: Fields = {}) =>
  framesOf(agentEventsView(startOf({}, session)), log.events.map(viewEventOf))

/** The blocks that a channel sends. */
export const blocks = (frames: ReadonlyArray<Fields>) =>
  frames.filter(({ type }) => type === "block_reply").map(({ type: _t, runId: _r, seq: _s, ...block }) => block)

export const started = (options: Fields = {}): TurnLog => {
  const log = new TurnLog()
  log.queued("Go", options)
  log.init()
  return log
}

export const ended = (log: TurnLog): TurnLog => {
  log.result("success", { result: "", errors: [] })
  return log
}

/** A turn that thinks, reads, and answers. */
export const looks = (): TurnLog => {
  const log = started()
  log.block("m1", { type: "thinking", thinking: "Let me think.", signature: "s" })
  log.text("m1", "Let me look.")
  log.toolUse("m1", "t1", "Read", { file_path: "/workspace/a.txt" })
  log.call("m1", { stop_reason: "tool_use" })
  log.toolResult("t1", "the text")
  log.text("m2", "It says: the text.")
  log.call("m2")
  return ended(log)
}
