// Receives the steps from a value to something inside it; returns the path as errors show it.
// Invariant: the path has a bounded length, however long the keys are that a client sent.
import type { RefusedField } from "./rpc-error.ts"
import { shortened } from "../shortened.ts"

const MAX_FIELD = 200

/** A path as text: `options.maxTurns`, `prompt[0].type`. */
export const fieldPath = (path: ReadonlyArray<unknown>): string => {
  let text = ""
  for (const step of path) {
    const key = typeof step === "object" && step !== null && "key" in step ? step.key : step
    text += typeof key === "number" ? `[${key}]` : `${text === "" ? "" : "."}${String(key)}`
  }
  return shortened(text, MAX_FIELD)
}

/** An issue of the field at a path; `text` continues a sentence that begins with the field. */
export const issueAt = (path: ReadonlyArray<unknown>, text: string): RefusedField => {
  const field = fieldPath(path)
  return { field, message: `${field} ${text}` }
}
