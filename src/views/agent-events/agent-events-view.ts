// The format `agent-events` of a session's events: OpenClaw's event bus, `{runId, seq, stream, ts, data}`.
// Invariant: `seq` counts the events of a run from 1, without a gap; a run is a turn of the main thread.
import type { MakeView } from "../live/view-start.ts"
import { type ReplyQuery, settingsOf } from "../reply/reply-query.ts"
import type { ReplyOptions } from "../reply/reply-runs.ts"
import { StepsView } from "../reply/steps-view.ts"

export const agentEventsView: MakeView<ReplyQuery> = ({ base, options }) =>
  new StepsView(
    base.options as ReplyOptions, // checked when the session accepted them
    settingsOf(options),
    ({ runId, seq, ts, step }) =>
      step.kind === "agent_event" ? { runId, seq, stream: step.stream, ts, data: step.data } : null,
  )
