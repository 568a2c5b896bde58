// Receives the log of a session; returns what is read again from it when a subagent is resumed: its run, and its events before
// a place of the log.
// Invariant: a run is read as a whole if its start is part of the conversation.
import type { AgentSource } from "../../agent/transcript/subagents.ts"
import { EventNames, type LogEvent } from "../../schemas/log/events.ts"
import { headPathOf } from "./head.ts"
import type { SessionLog } from "./log.ts"

export const agentsOf = (log: SessionLog): AgentSource => ({
  thread: (...of) => threadOf(log, ...of),
  started: (seq) => log.atNamed(seq, EventNames.agentStarted)?.event.payload,
})

function* threadOf(
  log: SessionLog,
  thread: string,
  before: number,
): Generator<{ readonly event: LogEvent; readonly bytes: number }> {
  const path = headPathOf(log)
  let starts: ReadonlyArray<number> | null = null
  /** Whether the run of an event is part of the conversation. */
  const isKept = (seq: number): boolean => {
    starts ??= startsOf(log, thread, before)
    return path.has(starts.findLast((start) => start < seq) ?? seq)
  }
  // Other events are not even parsed: an agent of a long session may be resumed many times.
  for (const { event, json } of log.all(0, { parent: thread })) {
    if (event.seq >= before) return
    if (path.has(event.seq) || isKept(event.seq)) yield { event, bytes: json.length }
  }
}

/** seq of the start of each run of a thread. */
const startsOf = (log: SessionLog, thread: string, before: number): ReadonlyArray<number> =>
  log
    .seqsNamed([EventNames.agentStarted], { after: 0, through: before, limit: Number.MAX_SAFE_INTEGER })
    .filter((seq) => log.atNamed(seq, EventNames.agentStarted)?.event.payload.thread === thread)
