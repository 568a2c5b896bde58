// Receives a typed filter for event names; returns its problem, by the rules of the server.
// Invariant: it accepts whatever the server accepts (test/console/time/events/pattern.test.ts compares the two).

const MAX_LENGTH = 256
const PATTERN = /^[\w:.-]*(?:\*[\w:.-]*){0,8}$/

/** Returns the problem as one sentence; null when the filter is valid. An empty filter is valid. */
export const patternFault = (text: string): string | null => {
  if (text.length > MAX_LENGTH) return `A pattern has at most ${MAX_LENGTH} characters. Shorten it.`
  if (!text.includes("*") || PATTERN.test(text.replaceAll("/", ":"))) return null
  return "A pattern has letters, digits and : / . - _, with at most 8 stars: * for a segment, ** for any number of them."
}
