// Receives what a function of the workflow's author returned; returns it if it is an Effect, and otherwise one that dies.
// Invariant: a value that is no Effect is reported: the fiber that ran it would end without an error.
import * as Effect from "effect/Effect"

/** For programs without types, whose functions may return a promise or nothing. */
export const returnedEffect = <A, E, R>(returned: Effect.Effect<A, E, R>, whose: string): Effect.Effect<A, E, R> =>
  Effect.isEffect(returned) ? returned : Effect.die(new TypeError(`${whose} must return an Effect.`))
