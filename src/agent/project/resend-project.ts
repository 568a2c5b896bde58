// Receives a turn whose conversation restarts, and the paths of the files that the model is sent again; returns the events
// that send it its project's texts again.
// Invariant: a kind of text that the model has not received before is not sent here, but at the start of a turn.
import * as Effect from "effect/Effect"
import { EventNames, type NewEvent } from "../../schemas/log/events.ts"
import type { Hooks, Turn, TurnContext } from "../ports.ts"
import { instructionsAgain, nestedAgain } from "./load-instructions.ts"

export const resendProject = Effect.fnUntraced(function* (
  turn: Turn,
  paths: ReadonlyArray<string>,
): Effect.fn.Return<ReadonlyArray<NewEvent>, never, Hooks | TurnContext> {
  const { skills } = turn.memory.project
  const listed: ReadonlyArray<NewEvent> =
    skills === null || skills.length === 0
      ? []
      : [{ name: EventNames.skillsListed, payload: { skills }, turn: turn.id }]
  return [...(yield* instructionsAgain(turn)), ...(yield* nestedAgain(turn, paths)), ...listed]
})
