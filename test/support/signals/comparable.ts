// A run's log in a form that can be compared with that of another run of the same workflow.
import type { RunSignal } from "../../../src/schemas/api/workflows.ts"

/** The log without ids and times: each parent becomes the seq of its signal. */
export const comparable = (log: ReadonlyArray<RunSignal>): ReadonlyArray<unknown> => {
  const seqs = new Map(log.map(({ id, seq }) => [id, seq]))
  return log.map(({ seq, name, payload, source }) => {
    const { durationMs: _, session_id: _session, turn_id: _turn, ...rest } = payload as Record<string, unknown> // all are objects
    return { seq, name, payload: rest, source: { ...source, parent: seqs.get(source?.parent ?? "") ?? null } }
  })
}
