// Writes an unexpected error to the server's log: its name and message, never its stack, its cause or a secret.
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { redact } from "../net/redact.ts"

export const logDefect = (what: string, cause: Cause.Cause<never>): Effect.Effect<void> => {
  const error = Cause.squash(cause)
  return Effect.logError(`${what}: ${error instanceof Error ? redact(`${error.name}: ${error.message}`) : "unknown"}`)
}
