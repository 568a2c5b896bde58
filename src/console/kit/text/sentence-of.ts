// Receives the message of an error, which may be a fragment such as "there is no such file"; returns it as a sentence.

/** A message that begins with another word may begin with the name of a field, whose case matters. */
const BEGINNING = /^(?:an?|no|the|there|this) /

export const sentenceOf = (message: string): string => {
  const begun = message.replace(BEGINNING, (word) => word.charAt(0).toUpperCase() + word.slice(1))
  return /[\p{L}\p{N}")]$/u.test(begun) ? `${begun}.` : begun
}
