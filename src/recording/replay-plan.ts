// Receives a signal of a recorded session; decides whether a replay has to do what it says, since it came from outside.
// Invariant: what the session did by itself, its replay does by itself.
import { isPlainObject } from "../schemas/plain-object.ts"
import type * as Schema from "effect/Schema"

/** Perch's own prompts have no sender; those of another session's history never ran. */
export const isFromOutside = (name: string, payload: Schema.Json): boolean => {
  if (name === "session:created" || name === "workflow:start") return true
  if (!isPlainObject(payload)) return false
  if (name === "session:changed") return payload["actor"] !== undefined
  return name === "turn:queued" && payload["actor"] !== undefined && payload["imported"] !== true
}
