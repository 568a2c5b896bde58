// Receives patterns over event names, such as `sdk:result/*`; returns whether they match a name.
// Invariant: the time is at most the length of the pattern times the length of the name, both of which are bounded.
import * as Schema from "effect/Schema"

const MAX_LENGTH = 200

/** `*` is any text without a slash, `**` any text; every other character is itself. */
export const EventPattern = Schema.String.check(
  Schema.isPattern(new RegExp(`^[\\w:/.*-]{1,${MAX_LENGTH}}$`), {
    message: `Expected 1 to ${MAX_LENGTH} letters, digits and : / . - _, with * for any text without a slash and ** for any text`,
  }),
).annotate({
  identifier: "EventPattern",
  description: "The name of an event, with `*` for any text without a slash and `**` for any text.",
})

/** True when the whole name matches: `*` is any text without the separator, `**` any text. */
export const matchesPattern = (pattern: string, name: string, separator: "/" | ":" = "/"): boolean => {
  // `reached[i]`: the pattern so far matches the first i characters of the name.
  let reached = [true, ...Array.from(name, () => false)]
  for (let at = 0; at < pattern.length; at += 1) {
    const wide = pattern.startsWith("**", at)
    const next = name.length === 0 ? [false] : Array.from(reached, () => false)
    if (pattern[at] === "*") {
      for (let i = 0; i <= name.length; i += 1) {
        next[i] = reached[i] === true || (i > 0 && next[i - 1] === true && (wide || name[i - 1] !== separator))
      }
    } else {
      for (let i = 1; i <= name.length; i += 1) next[i] = reached[i - 1] === true && name[i - 1] === pattern[at]
    }
    reached = next
    if (wide) at += 1
  }
  return reached[name.length] === true
}
