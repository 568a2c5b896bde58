// The progress that a session's app writes, and that routed runs of the session read.
// Invariant: it is an event of the log, so that a restart keeps it and a fork starts with it.
import { type Actor, actorField } from "../schemas/access.ts"
import type { Progress } from "../schemas/api/progress.ts"
import { EventNames } from "../schemas/log/events.ts"
import type { SessionCore } from "./core.ts"

export const readProgress = ({ log }: Pick<SessionCore, "log">): Progress => {
  const written = log.lastNamed(EventNames.progressChanged)?.event
  if (written === undefined) return { text: "", updated_at: null }
  return { text: written.payload.text, updated_at: new Date(written.at).toISOString() }
}

/** Returns the progress as stored. Writing the same text again changes nothing. */
export const writeProgress = (core: SessionCore, text: string, by?: Actor): Progress => {
  const before = readProgress(core)
  if (before.updated_at !== null && before.text === text) return before
  core.append([{ name: EventNames.progressChanged, payload: { text, ...actorField(by) } }])
  return readProgress(core)
}
