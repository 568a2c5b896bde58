// Receives two versions of a text; returns where a place of the first one is in the second one.
// Invariant: a place before or after everything that has changed keeps its text; one between stays in its line.

/** Length of the beginning that two texts share. */
const sharedBeginning = (one: string, other: string): number => {
  const most = Math.min(one.length, other.length)
  let length = 0
  while (length < most && one.charCodeAt(length) === other.charCodeAt(length)) length += 1
  return length
}

/** Length of the end that two texts share, of at most `most` characters. */
const sharedEnd = (one: string, other: string, most: number): number => {
  let length = 0
  while (length < most && one.charCodeAt(one.length - 1 - length) === other.charCodeAt(other.length - 1 - length))
    length += 1
  return length
}

const lineStart = (text: string, line: number): number => {
  let start = 0
  for (let n = 0; n < line; n += 1) {
    const end = text.indexOf("\n", start)
    if (end === -1) return start
    start = end + 1
  }
  return start
}

export const keptPlaces = (before: string, after: string): ((place: number) => number) => {
  const beginning = sharedBeginning(before, after)
  const end = sharedEnd(before, after, Math.min(before.length, after.length) - beginning)
  return (place) => {
    if (place <= beginning) return place
    if (place >= before.length - end) return place + after.length - before.length
    return lineStart(after, before.slice(0, place).split("\n").length - 1)
  }
}
