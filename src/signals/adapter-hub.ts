// Receives adapters; returns a hub that passes every signal of a run to each of them.
// Invariant: a run waits for its adapters only at its end, for at most five seconds; an adapter's failure is logged once
// and affects nothing else. The fibers are interrupted when the run's scope closes.
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import type * as Cause from "effect/Cause"
import type * as Scope from "effect/Scope"
import type { Signal } from "../schemas/signal.ts"
import type { AdapterService } from "./adapter.ts"
import { returnedEffect } from "./returned-effect.ts"

type Adapter = AdapterService["Service"]

export interface AdapterHub {
  readonly send: (signal: Signal) => void
  /** Waits until the adapters have processed all signals that were sent. */
  readonly close: Effect.Effect<void>
}

const CLOSE_WAIT = "5 seconds"

/** One fiber per adapter processes the signals in order. Its queue costs little: the run's log keeps the same objects. */
export const adapterHub = Effect.fnUntraced(function* (
  adapters: ReadonlyArray<Adapter>,
): Effect.fn.Return<AdapterHub, never, Scope.Scope> {
  const running = yield* Effect.forEach(adapters, (adapter) =>
    Effect.gen(function* () {
      const queue = yield* Queue.unbounded<Signal, Cause.Done>()
      const fiber = yield* Effect.forkDetach(consume(adapter, queue), { startImmediately: true })
      // Not awaited, because an adapter that can't be interrupted would block the run.
      yield* Effect.addFinalizer(() => Effect.sync(() => fiber.interruptUnsafe()))
      return { queue, fiber }
    }),
  )
  return {
    send: (signal) => {
      for (const { queue } of running) Queue.offerUnsafe(queue, signal)
    },
    close: Effect.gen(function* () {
      for (const { queue } of running) yield* Queue.end(queue)
      yield* Effect.forEach(running, ({ fiber }) => Fiber.await(fiber), { discard: true }).pipe(
        Effect.timeoutOption(CLOSE_WAIT),
      )
    }),
  }
})

const consume = (adapter: Adapter, queue: Queue.Queue<Signal, Cause.Done>): Effect.Effect<void> => {
  let broken = false
  const failed = (cause: Cause.Cause<unknown>) => {
    if (broken) return Effect.void
    broken = true
    return Effect.logWarning(
      "An adapter of the run failed at a signal. The run continues, and so does the adapter.",
      cause,
    )
  }
  return Queue.take(queue).pipe(
    Effect.flatMap((signal) =>
      Effect.catchCause(
        Effect.suspend(() => returnedEffect(adapter.process(signal), "process of an adapter")),
        failed,
      ),
    ),
    Effect.forever,
    Effect.catchCause(() => Effect.void),
  )
}
