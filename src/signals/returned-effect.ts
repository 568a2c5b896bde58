// Receives the return value of a function of the workflow's author; returns it if it is an Effect, otherwise an Effect that dies.
// Invariant: a value that is no Effect is reported; without this check, its fiber would end without an error.
import * as Effect from "effect/Effect"

/** Guards against untyped programs, whose functions may return a promise or nothing. */
export const returnedEffect = <A, E, R>(returned: Effect.Effect<A, E, R>, whose: string): Effect.Effect<A, E, R> =>
  Effect.isEffect(returned) ? returned : Effect.die(new TypeError(`${whose} must return an Effect.`))
