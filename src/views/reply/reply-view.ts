// The format `reply` of a session's events, for chat channels: each frame is one callback call of OpenClaw's runner.
// Invariant: each frame is `{type, runId, seq, …}`; `seq` counts the frames of its run from 1, without a gap.
import type { MakeView } from "../live/view-start.ts"
import { type ReplyQuery, settingsOf } from "./reply-query.ts"
import type { ReplyOptions } from "./reply-runs.ts"
import { type ShowStep, StepsView } from "./steps-view.ts"

export const replyView: MakeView<ReplyQuery> = ({ base, options }) =>
  new StepsView(base.options as ReplyOptions, settingsOf(options), showReply) // checked when the session accepted them

const showReply: ShowStep = ({ runId, seq, step }) => {
  const { kind: type, ...fields } = step
  if (step.kind !== "agent_event") return { type, runId, seq, ...fields }
  return step.shown === undefined ? null : { type, runId, seq, stream: step.stream, data: step.shown }
}
