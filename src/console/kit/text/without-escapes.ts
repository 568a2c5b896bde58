// Receives the output of a program for a terminal; returns it without escape sequences.
// Invariant: everything that a terminal would show as text is kept.

const ESC = "\u001B"
const BELL = "\u0007"

/**
 * Control sequences (colours, cursor movements), texts for the terminal itself (titles, addresses of links), shorter sequences,
 * and an incomplete one at the end of growing output.
 */
const ESCAPES = [
  String.raw`\[[0-?]*[ -/]*(?:[@-~]|$)`,
  String.raw`\][^${BELL}${ESC}]*(?:${BELL}|${ESC}\\|$)`,
  String.raw`[ -/]*[0-Z\\^-~]`,
  "$",
]

const PATTERN = new RegExp(`${ESC}(?:${ESCAPES.join("|")})`, "g")

export const withoutEscapes = (text: string): string => (text.includes(ESC) ? text.replace(PATTERN, "") : text)
