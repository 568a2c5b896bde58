// Receives a reply and the texts that tools have sent; returns whether the reply repeats one of them.
// Invariant: compares as OpenClaw does: ignoring case, emoji and runs of white space. Two texts are duplicates if both have at
// least ten characters and one contains the other.

const MIN_CHARACTERS = 10

const comparable = (text: string): string =>
  text
    .toLowerCase()
    .replace(/\p{Emoji_Presentation}|\p{Extended_Pictographic}/gu, "")
    .replace(/\s+/g, " ")
    .trim()

export const isDuplicate = (text: string, sent: ReadonlyArray<string>): boolean => {
  if (sent.length === 0) return false
  const own = comparable(text)
  if (own.length < MIN_CHARACTERS) return false
  return sent.map(comparable).some((one) => one.length >= MIN_CHARACTERS && (own.includes(one) || one.includes(own)))
}
