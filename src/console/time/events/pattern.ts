// Receives what is typed as a filter of event names; returns what is wrong with it, as the server would.
// Invariant: what the server takes is taken here (test/console/time/pattern.test.ts compares the two).

const MAX_LENGTH = 256
const PATTERN = /^[\w:.-]*(?:\*[\w:.-]*){0,8}$/

/** One sentence; null when the filter can be sent. An empty filter is none. */
export const patternFault = (text: string): string | null => {
  if (text.length > MAX_LENGTH) return `A pattern has at most ${MAX_LENGTH} characters. Shorten it.`
  if (!text.includes("*") || PATTERN.test(text.replaceAll("/", ":"))) return null
  return "A pattern has letters, digits and : / . - _, with at most 8 stars: * for a segment, ** for any number of them."
}
