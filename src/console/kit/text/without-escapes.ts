// Receives what a program has printed for a terminal; returns its text alone.
// Invariant: nothing that a terminal would show as text is left out.

const ESC = "\u001B"
const BELL = "\u0007"

/**
 * Control sequences (colours, movements of the cursor), texts for the terminal itself (titles, addresses of links), shorter ones, and
 * one that is cut off at the end of output that still comes.
 */
const ESCAPES = [
  String.raw`\[[0-?]*[ -/]*(?:[@-~]|$)`,
  String.raw`\][^${BELL}${ESC}]*(?:${BELL}|${ESC}\\|$)`,
  String.raw`[ -/]*[0-Z\\^-~]`,
  "$",
]

const PATTERN = new RegExp(`${ESC}(?:${ESCAPES.join("|")})`, "g")

export const withoutEscapes = (text: string): string => (text.includes(ESC) ? text.replace(PATTERN, "") : text)
