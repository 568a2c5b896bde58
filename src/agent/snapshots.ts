// Receives the workspace after a step or at a turn's end; returns the events that record the changed files.
// Invariant: a step or turn that changed no file has no such event, and costs nothing. A subagent's changes belong to the
// step that started it.
import * as Effect from "effect/Effect"
import { EventNames, type NewEvent } from "../schemas/log/events.ts"
import type { Workspace } from "../workspace/workspace.ts"
import { Log, type Turn } from "./ports.ts"
import type { TurnTally } from "./transcript/turn-tally.ts"

/** Appends what the last step has changed; to be called before the next step. */
export const takeSnapshot = Effect.fnUntraced(function* (turn: Turn): Effect.fn.Return<void, never, Log> {
  if (turn.agent !== undefined) return
  const events = snapshotEvents(turn.id, turn.workspace, turn.memory.accounting.tally)
  if (events.length === 0) return
  const log = yield* Log
  yield* log.append(events, () => turn.workspace.snapshotTaken())
})

/** The events for what the turn has changed: in its last step, and in all its steps together. */
export const patchEvents = (turn: string, workspace: Workspace, tally: TurnTally | null): ReadonlyArray<NewEvent> => {
  const step = snapshotEvents(turn, workspace, tally)
  const own = tally?.turn === turn && tally.nodes.size > 0
  const change = step.length > 0 || own ? workspace.turnChange(turn) : null
  if (change === null) return step
  const { before: hash, files, more, diffs } = change
  const payload = { hash, files, ...(more === 0 ? {} : { more }), diffs }
  return [...step, { name: EventNames.turnPatched, payload, turn }]
}

const snapshotEvents = (turn: string, workspace: Workspace, tally: TurnTally | null): ReadonlyArray<NewEvent> => {
  const known = () => (tally?.turn === turn ? tally.nodes.values() : [])
  const change = workspace.stepChange(turn, known)
  if (change === null) return []
  const { before, after: snapshot, diffs, nodes } = change
  return [{ name: EventNames.snapshotTaken, payload: { before, snapshot, diffs, nodes }, turn }]
}
