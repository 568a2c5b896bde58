// Receives a seq of a session's log; returns the session's todos and costs as they were right after that event.
// Invariant: it is what a reader got then: later events and later moves of the head change nothing.
import { SessionMemory } from "../../agent/transcript/projection.ts"
import type { SessionCore } from "../core.ts"
import type { CostReport } from "../../schemas/api/catalogue.ts"
import type { TodoEntry } from "../../schemas/api/api.ts"
import { isRefusal, type Refusal, refuse } from "../refusal.ts"
import { costReport, todoEntries } from "../session-report.ts"
import { headPathOf } from "../storage/head.ts"
import { agentsOf } from "../storage/thread.ts"

type Source = Pick<SessionCore, "log" | "memory" | "record">

export const todosAt = (source: Source, at: number | undefined): { todos: ReadonlyArray<TodoEntry> } | Refusal => {
  const memory = memoryAt(source, at)
  return isRefusal(memory) ? memory : { todos: todoEntries(memory) }
}

export const costAt = (source: Source, at: number | undefined): CostReport | Refusal => {
  const memory = memoryAt(source, at)
  return isRefusal(memory) ? memory : costReport(memory.accounting, source.record.options)
}

/** Why the log has no such event; undefined when it has. */
export const placeRefusal = ({ log }: Pick<SessionCore, "log">, at: number): Refusal | undefined => {
  if (Number.isSafeInteger(at) && at >= 1 && at <= log.lastSeq) return undefined
  return refuse(
    "invalid_request_error",
    `at: the log ends at event ${log.lastSeq}. Choose an event from 1 to that one.`,
    "at",
  )
}

/** The fold of the log up to that event; without one, of the whole log. */
const memoryAt = (source: Source, at: number | undefined): SessionMemory | Refusal => {
  const { log, record } = source
  if (at === undefined || at === log.lastSeq) return source.memory
  const refused = placeRefusal(source, at)
  if (refused !== undefined) return refused
  const path = headPathOf(log, at)
  const memory = new SessionMemory(record.cwd, agentsOf(log))
  for (const { event, json } of log.all()) {
    if (event.seq > at) break
    memory.apply(event, json.length, path.has(event.seq))
  }
  return memory
}
