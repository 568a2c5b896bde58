// Receives a turn whose conversation begins anew; returns the events with which the model reads its project once more.
// Invariant: what it had not read before it does not get here: that is for the beginning of a turn.
import * as Effect from "effect/Effect"
import { EventNames, type NewEvent } from "../../schemas/log/events.ts"
import type { Hooks, Turn, TurnContext } from "../ports.ts"
import { instructionsAgain } from "./load-instructions.ts"

export const readAgain = (turn: Turn): Effect.Effect<ReadonlyArray<NewEvent>, never, Hooks | TurnContext> => {
  const { skills } = turn.memory.project
  const listed: ReadonlyArray<NewEvent> =
    skills === null || skills.length === 0
      ? []
      : [{ name: EventNames.skillsListed, payload: { skills }, turn: turn.id }]
  return Effect.map(instructionsAgain(turn), (loaded) => [...loaded, ...listed])
}
