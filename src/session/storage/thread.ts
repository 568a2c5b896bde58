// Receives the thread of a subagent; returns its events before a place of the log, as far as the conversation still has them.
import type { LogEvent } from "../../schemas/log/events.ts"
import { headPathOf } from "./head.ts"
import type { SessionLog } from "./log.ts"

export function* threadOf(
  log: SessionLog,
  thread: string,
  before: number,
): Generator<{ readonly event: LogEvent; readonly bytes: number }> {
  const path = headPathOf(log)
  for (const { event, json } of log.all()) {
    if (event.seq >= before) return
    if (event.parent_tool_use_id === thread && path.has(event.seq)) yield { event, bytes: json.length }
  }
}
