// Receives two hashes of secrets; returns whether they are equal.
// Invariant: the time taken does not depend on where they differ.
import { timingSafeEqual } from "node:crypto"

/** Compares two hashes in hex without stopping at the first difference. */
export const sameHash = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a, "latin1"), Buffer.from(b, "latin1"))
