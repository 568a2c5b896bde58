// Receives two hashes of secrets; returns whether they are equal.
// Invariant: the time taken does not depend on where they differ.

/** Compares two hashes in hex without stopping at the first difference. */
export const sameHash = (a: string, b: string): boolean => {
  if (a.length !== b.length) return false
  let difference = 0
  for (let index = 0; index < a.length; index += 1) difference |= a.charCodeAt(index) ^ b.charCodeAt(index)
  return difference === 0
}
