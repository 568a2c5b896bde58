// Receives the steps from a value to something inside it; returns the path as errors show it.
// Invariant: it is never longer than errors may be, whatever a client named its keys.
import { shortened } from "../shortened.ts"

const MAX_FIELD = 200

/** `options.maxTurns`, `prompt[0].type`. */
export const fieldPath = (path: ReadonlyArray<unknown>): string => {
  let text = ""
  for (const step of path) {
    const key = typeof step === "object" && step !== null && "key" in step ? step.key : step
    text += typeof key === "number" ? `[${key}]` : `${text === "" ? "" : "."}${String(key)}`
  }
  return shortened(text, MAX_FIELD)
}
