// Receives an unknown name and the known ones; returns the known name that was probably meant.
// Invariant: the work is bounded whatever a client sends, and at most a third of the letters of a suggestion differ.

const MAX_LENGTH = 64

/** A name without case and punctuation: `max_turns`, `MaxTurns` and `max-turns` all become `maxturns`. */
const lettersAndDigits = (name: string): string => name.replace(/[^A-Za-z0-9]/g, "").toLowerCase()

/** The closest of `names`, or undefined when none is close. */
export const nearest = (name: string, names: Iterable<string>): string | undefined => {
  if (name === "" || name.length > MAX_LENGTH) return undefined
  const wanted = lettersAndDigits(name)
  if (wanted === "") return undefined
  let best: string | undefined
  let least = Math.max(1, Math.floor(wanted.length / 3)) + 1
  for (const candidate of names) {
    if (candidate.length > MAX_LENGTH) continue
    const away = distance(wanted, lettersAndDigits(candidate))
    if (away < least) [best, least] = [candidate, away]
  }
  return best
}

/** The number of letters to insert, remove, replace or swap with their neighbour. */
export const distance = (a: string, b: string): number => {
  let before: Array<number> = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      let steps = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + same)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        steps = Math.min(steps, (before[j - 2] ?? 0) + 1)
      }
      row[j] = steps
    }
    before = last
    last = row
  }
  return last[b.length] ?? 0
}

/** The suggestion ". Did you mean X?", or an empty text. */
export const didYouMean = (name: string | undefined): string => (name === undefined ? "" : `. Did you mean ${name}?`)
