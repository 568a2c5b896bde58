// Receives the errors of an effect, and how a request's body names what they are about; returns the effect with errors that use
// those names.
// Invariant: nothing but names of fields changes; a refusal keeps its type and its Retry-After.
import * as Effect from "effect/Effect"
import { ApiError } from "./errors.ts"

/** `name` replaces the names in a text: a field, or a message. */
export const renamedFields =
  (name: (text: string) => string) =>
  <A>(effect: Effect.Effect<A, ApiError>): Effect.Effect<A, ApiError> =>
    Effect.mapError(effect, ({ type, message, field, issues, retry_after: wait }) => {
      const named = issues?.map((issue) => ({ field: name(issue.field), message: name(issue.message) }))
      return new ApiError({
        type,
        message: name(message),
        ...(field === undefined ? {} : { field: name(field) }),
        ...(named === undefined ? {} : { issues: named }),
        ...(wait === undefined ? {} : { retry_after: wait }),
      })
    })
