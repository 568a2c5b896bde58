// A run's log as it can be compared with that of another run of the same workflow.
import type { RunSignal } from "../../../src/schemas/api/workflows.ts"

/** The log without ids and times: parents become the seq of the signal that they name. */
export const comparable = (log: ReadonlyArray<RunSignal>): ReadonlyArray<unknown> => {
  const seqs = new Map(log.map(({ id, seq }) => [id, seq]))
  return log.map(({ seq, name, payload, source }) => {
    const { durationMs: _, session_id: _session, turn_id: _turn, ...rest } = payload as Record<string, unknown> // all are objects
    return { seq, name, payload: rest, source: { ...source, parent: seqs.get(source?.parent ?? "") ?? null } }
  })
}
