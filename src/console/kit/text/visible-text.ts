// Receives a text by which a person decides, such as a command that is to be allowed; returns it with a name in place of each
// character that is not seen, or that shows the characters behind it in another order.
// Invariant: two texts that differ look different, and what is read from left to right is what runs.

/** Marks of direction, characters without a width, tags, and controls other than tabs and the ends of lines. */
const HIDDEN = /[\p{Bidi_Control}\u00AD\u200B\u2060\uFEFF\u{E0000}-\u{E007F}]|(?!\t|\n|\r(?:\n|$))\p{Cc}/gu

const hex = (code: number): string => code.toString(16).toUpperCase().padStart(4, "0")

/** Such a character is shown as `⟨U+202E⟩`. */
export const visibleText = (text: string): string =>
  text.replace(HIDDEN, (character) => `⟨U+${hex(character.codePointAt(0) ?? 0)}⟩`)

/** A value as JSON that is edited: such characters are escaped, so that it stays the same value. */
export const visibleJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(HIDDEN, (character) =>
    character
      .split("")
      .map((unit) => `\\u${hex(unit.charCodeAt(0))}`)
      .join(""),
  )
