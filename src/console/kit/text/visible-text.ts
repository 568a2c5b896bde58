// Receives a text on which a person bases a decision, such as a command to allow; returns it with each invisible character, and
// each character that reorders the text after it, replaced with its code point.
// Invariant: different texts look different, and the text that is read from left to right is the text that runs.

/**
 * Matches characters without a shape (bidi controls, joiners, fillers, tags, selectors of variants), and control characters except
 * tabs and line ends. Its group matches what is shown as it is: keys such as 1️⃣, and characters of other scripts than Latin, and
 * emoji, with the selector and the joiner that shape them.
 */
const HIDDEN =
  /([0-9#*]\uFE0F\u20E3|(?:[^\0-\x9F\p{Script=Latin}\p{Script=Inherited}\p{DI}][\uFE0E\uFE0F]?[\u200C\u200D]?)+)|\p{DI}|(?!\t|\n|\r(?:\n|$))\p{Cc}/gu

const hex = (code: number): string => code.toString(16).toUpperCase().padStart(4, "0")

/** Replaces each such character with `⟨U+202E⟩`. */
export const visibleText = (text: string): string =>
  text.replace(HIDDEN, (match, shaped?: string) => shaped ?? `⟨U+${hex(match.codePointAt(0) ?? 0)}⟩`)

/** A value as JSON for editing: such characters are escaped, so that the value stays the same. */
export const visibleJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(HIDDEN, (match, shaped?: string) => {
    const units = match.split("")
    return shaped ?? units.map((unit) => `\\u${hex(unit.charCodeAt(0))}`).join("")
  })
