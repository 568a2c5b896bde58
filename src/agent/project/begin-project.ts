// Receives a turn at its start; returns what it loads from the files of its project: events for the model, which come before
// `system/init`, and notices for clients, which come after it.
// Invariant: a notice is sent only when the list of notices before did not contain it.
import * as Effect from "effect/Effect"
import { EventNames, type NewEvent } from "../../schemas/log/events.ts"
import { informational } from "../calls/hook-events.ts"
import type { Hooks, Turn, TurnContext } from "../ports.ts"
import { loadInstructions } from "./load-instructions.ts"
import { loadSkills } from "./load-skills.ts"

export interface BegunProject {
  readonly before: ReadonlyArray<NewEvent>
  readonly after: ReadonlyArray<NewEvent>
  /** The names of the skills that people can call. */
  readonly skills: ReadonlyArray<string>
}

const MAX_NOTICES = 20

export const beginProject = (turn: Turn): Effect.Effect<BegunProject, never, Hooks | TurnContext> => {
  const { events: listed, names, notices } = loadSkills(turn)
  const settings = turn.settingsNotices()
  const after = noticed(turn, [...settings, ...turn.projectNotices(), ...notices, ...turn.commands.notices], settings)
  return Effect.map(loadInstructions(turn), (loaded) => ({
    before: [...loaded, ...listed, ...after.slice(0, 1)],
    after: after.slice(1),
    skills: names,
  }))
}

/** The current list of notices, as one event of the log, and a message to clients for each new one. */
const noticed = (
  turn: Turn,
  notices: ReadonlyArray<string>,
  settings: ReadonlyArray<string>,
): ReadonlyArray<NewEvent> => {
  const known = turn.memory.project.notices
  if (JSON.stringify(known) === JSON.stringify(notices)) return []
  const added = notices.filter((notice) => !known.includes(notice)).slice(0, MAX_NOTICES)
  return [
    { name: EventNames.projectNoticed, payload: { notices }, turn: turn.id },
    ...added.map((notice) =>
      informational(turn, notice, {
        level: "warning",
        ...(settings.includes(notice) ? { tag: "settings_not_in_effect" } : {}),
      }),
    ),
  ]
}
