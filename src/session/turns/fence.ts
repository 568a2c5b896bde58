// Receives the services of a runner and its pass; returns the same services, which work only while the pass is current.
// Invariant: a runner that was replaced writes nothing, calls no hook and starts no call: at its next attempt it is
// interrupted, and its fibers end without an effect.
import * as Effect from "effect/Effect"
import { turnWith } from "../../agent/ports.ts"
import type { TurnServices } from "./turn-services.ts"
import type { Pass } from "./generation.ts"

export const fenced = (services: TurnServices, { isCurrent }: Pass): TurnServices => {
  const guard = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => (isCurrent() ? effect : Effect.interrupt))
  const { log, asks, hooks, ledger, turn } = services
  return {
    log: {
      ...log,
      append: (events, change) => guard(log.append(events, change)),
      emit: (event) => {
        if (isCurrent()) log.emit(event)
      },
    },
    asks: {
      ...asks,
      open: (ask, events) => guard(asks.open(ask, events)),
      settle: (requestId, answer) => guard(asks.settle(requestId, answer)),
    },
    hooks: { ...hooks, run: (event, input, id, place) => guard(hooks.run(event, input, id, place)) },
    ledger: { ...ledger, start: (id, tool, after) => guard(ledger.start(id, tool, after)) },
    turn: turnWith(turn, {
      announce: (...args) => guard(turn.announce(...args)),
      begin: (...args) => guard(turn.begin(...args)),
      finish: (...args) => guard(turn.finish(...args)),
    }),
  }
}
