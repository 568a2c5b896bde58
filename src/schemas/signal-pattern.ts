// Receives patterns over the names of signals, such as `task:*`; returns functions that test whether a name matches.
// Invariant: a match takes at most the length of the pattern times the length of the name, both of which are bounded.
import * as Schema from "effect/Schema"
import { matchesPattern } from "./log/event-pattern.ts"

const MAX_LENGTH = 256
const MAX_STARS = 8

const PATTERN = new RegExp(`^(?=.{1,${MAX_LENGTH}}$)[\\w:.-]*(?:\\*[\\w:.-]*){0,${MAX_STARS}}$`)

const EXPECTED = `Expected 1 to ${MAX_LENGTH} letters, digits and : . - _, with at most ${MAX_STARS} stars: * for a segment, ** for any number of them`

/** `*` is any text without a colon, so a segment or a part of one; `**` is any text. */
export const SignalPattern = Schema.String.check(Schema.isPattern(PATTERN, { message: EXPECTED })).annotate({
  description: "The name of a signal, with `*` for a segment and `**` for any number of segments.",
  examples: ["argument:*"],
})

/** A pattern that was checked. */
export interface CompiledPattern {
  readonly text: string
  readonly matches: (name: string) => boolean
}

/** The compiled pattern; null when the text is not a valid pattern. */
export const compilePattern = (text: string): CompiledPattern | null => {
  if (!PATTERN.test(text)) return null
  if (!text.includes("*")) return { text, matches: (name) => name === text }
  if (text === "**") return { text, matches: () => true }
  return { text, matches: (name) => matchesPattern(text, name, ":") }
}
