// Receives a session's log; returns the time its requests and turns took and the lines its tools wrote.
// Invariant: read from the log alone, so it is the same before and after a restart.
import { addLines } from "../../agent/transcript/changed-lines.ts"
import { EventNames, isTurnResult, type LogEvent } from "../../schemas/log/events.ts"

export interface SessionUsage {
  /** Milliseconds of model requests, those of the running turn included. */
  readonly apiMs: number
  /** Milliseconds of turns that ended. */
  readonly turnMs: number
  readonly linesAdded: number
  readonly linesRemoved: number
}

/** One pass over the log; the lines include those of subagents. */
export const sessionUsage = (events: Iterable<LogEvent>): SessionUsage => {
  const usage = { apiMs: 0, turnMs: 0, linesAdded: 0, linesRemoved: 0 }
  let imported: string | null = null
  for (const event of events) {
    const { name, turn, payload } = event
    if (isTurnResult(event)) usage.turnMs += event.payload.duration_ms
    else if (name === EventNames.callFinished) usage.apiMs += payload.duration_ms
    else if (name === EventNames.turnQueued && payload.imported === true) imported = turn
    else if (name === "sdk:user" && turn !== imported) {
      addLines(usage, payload.tool_use_result ?? payload.subagent_tool_result)
    } else if (name === EventNames.messageWithheld && payload.event === "sdk:user") {
      addLines(usage, payload.message["tool_use_result"])
    } else if (name === EventNames.toolCalled) addLines(usage, payload.output)
  }
  return usage
}
