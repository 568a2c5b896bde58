// Receives a message as the Messages API sent it; returns the fields of it that the loop reads.
// Invariant: a field that is missing or has another type counts as absent.

import { isPlainObject } from "../../schemas/plain-object.ts"

type ApiAnswer = Readonly<Record<string, unknown>>

/** The usage, or an empty one. Its counts are read with `usageCount`, which accepts any value. */
export const usageIn = ({ usage }: ApiAnswer): Record<string, unknown> => (isPlainObject(usage) ? usage : {})

export const stopReasonIn = ({ stop_reason: reason }: ApiAnswer): string | null =>
  typeof reason === "string" ? reason : null
