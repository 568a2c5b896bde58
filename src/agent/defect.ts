// Writes the unexpected to the server's log: the error's name and message, never its stack, its cause or a secret.
import { Cause, Effect } from "effect"
import { redact } from "../net/redact.ts"

export const logDefect = (what: string, cause: Cause.Cause<never>): Effect.Effect<void> => {
  const error = Cause.squash(cause)
  return Effect.logError(`${what}: ${error instanceof Error ? redact(`${error.name}: ${error.message}`) : "unknown"}`)
}
