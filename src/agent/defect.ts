// Writes the unexpected to the server's log: the error's name and message, never its stack or cause.
import { Cause, Effect } from "effect"

export const logDefect = (what: string, cause: Cause.Cause<never>): Effect.Effect<void> => {
  const error = Cause.squash(cause)
  return Effect.logError(`${what}: ${error instanceof Error ? `${error.name}: ${error.message}` : "unknown"}`)
}
