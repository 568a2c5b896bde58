// Receives a text on which a person bases a decision, such as a command to allow; returns it with each invisible character, and
// each character that reorders the text after it, replaced with its code point.
// Invariant: different texts look different, and the text that is read from left to right is the text that runs.

/** Bidi controls, zero-width characters, tags, and control characters except tabs and line ends. */
const HIDDEN = /[\p{Bidi_Control}\u00AD\u200B\u2060\uFEFF\u{E0000}-\u{E007F}]|(?!\t|\n|\r(?:\n|$))\p{Cc}/gu

const hex = (code: number): string => code.toString(16).toUpperCase().padStart(4, "0")

/** Replaces each such character with `⟨U+202E⟩`. */
export const visibleText = (text: string): string =>
  text.replace(HIDDEN, (character) => `⟨U+${hex(character.codePointAt(0) ?? 0)}⟩`)

/** A value as JSON for editing: such characters are escaped, so that the value stays the same. */
export const visibleJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(HIDDEN, (character) =>
    character
      .split("")
      .map((unit) => `\\u${hex(unit.charCodeAt(0))}`)
      .join(""),
  )
