// Adapters of a run: a slow one receives everything, and one that hangs is abandoned at the end.
import { Deferred, Effect, Fiber, References } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import type { Signal } from "../../src/schemas/signal.ts"
import { adapterHub } from "../../src/signals/adapter-hub.ts"

const signals = ["1", "2", "3"].map((id): Signal => ({ id, name: "tick", payload: {}, timestamp: "" }))
const run = <A>(program: Effect.Effect<A>) => Effect.runPromise(Effect.provide(program, TestClock.layer()))

describe("the adapters of a run", () => {
  it("are awaited at its end", async () => {
    const seen: Array<string> = []
    const slow = {
      process: ({ id }: Signal) =>
        Effect.andThen(
          Effect.sleep(1000),
          Effect.sync(() => void seen.push(id)),
        ),
    }
    const program = Effect.gen(function* () {
      const hub = yield* adapterHub([slow])
      for (const signal of signals) hub.send(signal)
      const closing = yield* Effect.forkChild(hub.close, { startImmediately: true })
      yield* Effect.forEach(signals, () => TestClock.adjust(1000))
      yield* Fiber.join(closing)
    })
    await run(Effect.scoped(program))
    expect(seen).toEqual(["1", "2", "3"])
  })

  it("are abandoned after five seconds, and end with the run's scope", async () => {
    const left = Deferred.makeUnsafe<string>()
    const hanging = {
      process: () => Effect.onInterrupt(Effect.never, () => Deferred.succeed(left, "interrupted")),
    }
    const program = Effect.gen(function* () {
      const hub = yield* adapterHub([hanging])
      for (const signal of signals) hub.send(signal)
      const closing = yield* Effect.forkChild(hub.close, { startImmediately: true })
      yield* TestClock.adjust(4999)
      const early = closing.pollUnsafe()
      yield* TestClock.adjust(1)
      yield* Fiber.join(closing)
      return early
    })
    expect(await run(Effect.scoped(program))).toBeUndefined()
    expect(await Effect.runPromise(Deferred.await(left))).toBe("interrupted")
  })

  it("can't block a run, even if they can't be interrupted", async () => {
    const stuck = { process: () => Effect.uninterruptible(Effect.never) }
    const program = Effect.gen(function* () {
      const hub = yield* adapterHub([stuck])
      hub.send(signals[0]!)
      const closing = yield* Effect.forkChild(hub.close, { startImmediately: true })
      yield* TestClock.adjust(5000)
      yield* Fiber.join(closing)
      return "ended"
    })
    expect(await run(Effect.scoped(program))).toBe("ended")
  })

  it("are called again when they return no Effect, as after a failure", async () => {
    const seen: Array<string> = []
    const untyped = { process: ({ id }: Signal) => seen.push(id) as never }
    const program = Effect.gen(function* () {
      const hub = yield* adapterHub([untyped])
      for (const signal of signals) hub.send(signal)
      yield* hub.close
    })
    await run(Effect.provideService(Effect.scoped(program), References.MinimumLogLevel, "None"))
    expect(seen).toEqual(["1", "2", "3"])
  })
})
