// Receives tool calls one by one while the answer still streams; runs them in order, in parallel where that is safe.
// Invariant: safe calls run together, every other call runs alone, and a call that is not safe to run together with a
// waiting one does not start.
import type * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { NewEvent } from "../../schemas/log/events.ts"

/**
 * How a call ended: `done` with a result; `halted` with a result that ends the turn; `deferred` without a result, for a later
 * turn; `parked` until an answer arrives; `handed_over` to another invocation of the object; `stopped` with the turn.
 */
export type CallEnd = "done" | "halted" | "deferred" | "parked" | "handed_over" | "stopped"

/** When calls end differently, the end that is latest in this list counts for the batch. */
const WEIGHT: ReadonlyArray<CallEnd> = ["done", "halted", "deferred", "parked", "handed_over", "stopped"]

/** Events to append with the call's result; or how the call ends, if it does not run. */
export type Ready = { readonly events: ReadonlyArray<NewEvent> } | { readonly end: CallEnd }

const AT_ONCE: Ready = { events: [] }

/** What a call waits for before it runs with an input, once its hooks and users have permitted that. */
export const BeforeRun = Context.Reference<(input: unknown) => Effect.Effect<Ready>>("perch/agent/before-run", {
  defaultValue: () => () => Effect.succeed(AT_ONCE),
})

/** Runs `use` with a new batch; calls that still run when `use` ends are interrupted. */
export const withBatch = <R, A>(use: (batch: CallBatch<R>) => Effect.Effect<A, never, R>): Effect.Effect<A, never, R> =>
  Effect.flatMap(Scope.make(), (scope) =>
    use(new CallBatch<R>(scope)).pipe(Effect.onExit((exit) => Scope.close(scope, Exit.asVoid(exit)))),
  )

export interface BatchedCall<R> {
  /** True when the call may run in parallel with other safe calls. */
  readonly safe: boolean
  readonly run: Effect.Effect<CallEnd, never, R>
}

export class CallBatch<R> {
  readonly #scope: Scope.Scope
  readonly #waiting: Array<BatchedCall<R>> = []
  #safeRunning = 0
  #alone = false
  #active = 0
  #end: CallEnd = "done"
  /** The defect of a call that died without a result: `join` fails with it. */
  #died: Cause.Cause<never> | null = null
  #idle: Deferred.Deferred<void> | null = null
  #joined: Deferred.Deferred<void> | null = null

  constructor(scope: Scope.Scope) {
    this.#scope = scope
  }

  /** True when every added call has ended with a result, and none of them ends the turn. */
  get isDone(): boolean {
    return this.#active === 0 && this.#waiting.length === 0 && this.#end === "done" && this.#died === null
  }

  /** Adds a call, which starts at once unless an earlier call must end first. */
  readonly add = (call: BatchedCall<R>): Effect.Effect<void, never, R> =>
    Effect.suspend(() => {
      this.#waiting.push(call)
      return this.#pump
    })

  /** The call, changed to run only when the batch is joined; its hooks are called and users asked at once. */
  readonly runningLater = (call: BatchedCall<R>): BatchedCall<R> => {
    const joined = (this.#joined ??= Deferred.makeUnsafe())
    const ready = () => Effect.as(Deferred.await(joined), AT_ONCE)
    return { ...call, run: Effect.provideService(call.run, BeforeRun, ready) }
  }

  /** Waits until nothing runs and nothing more can start. */
  readonly join: Effect.Effect<CallEnd, never, R> = Effect.gen({ self: this }, function* (this: CallBatch<R>) {
    if (this.#joined !== null) yield* Deferred.succeed(this.#joined, undefined)
    yield* this.#pump
    while (this.#active > 0 && this.#died === null) {
      this.#idle = yield* Deferred.make<void>()
      yield* Deferred.await(this.#idle)
    }
    if (this.#died !== null) return yield* Effect.failCause(this.#died)
    return this.#end
  })

  get #pump(): Effect.Effect<void, never, R> {
    return Effect.whileLoop({
      while: () => this.#canStart(),
      body: () => this.#start(this.#waiting.shift()),
      step: () => undefined,
    })
  }

  #canStart(): boolean {
    const next = this.#waiting[0]
    if (next === undefined || this.#end === "stopped" || this.#alone) return false
    return next.safe || this.#safeRunning === 0
  }

  #start(call: BatchedCall<R> | undefined): Effect.Effect<void, never, R> {
    if (call === undefined) return Effect.void
    if (call.safe) this.#safeRunning += 1
    else this.#alone = true
    this.#active += 1
    const run = Effect.flatMap(Effect.exit(call.run), (exit) =>
      Exit.isSuccess(exit) ? this.#ended(call, exit.value) : this.#dead(exit.cause),
    )
    return Effect.asVoid(Effect.forkIn(run, this.#scope, { startImmediately: true }))
  }

  #dead(cause: Cause.Cause<never>): Effect.Effect<void> {
    this.#active -= 1
    this.#died = cause
    return this.#wake
  }

  get #wake(): Effect.Effect<void> {
    return Effect.suspend(() =>
      this.#idle === null ? Effect.void : Effect.asVoid(Deferred.succeed(this.#idle, undefined)),
    )
  }

  /** A call that parks still counts as running: calls that are not safe to run together with it do not start. */
  #ended(call: BatchedCall<R>, end: CallEnd): Effect.Effect<void, never, R> {
    this.#active -= 1
    if (end !== "parked" && end !== "handed_over" && end !== "stopped") {
      if (call.safe) this.#safeRunning -= 1
      else this.#alone = false
    }
    if (WEIGHT.indexOf(end) > WEIGHT.indexOf(this.#end)) this.#end = end
    return Effect.tap(this.#pump, () => (this.#active === 0 ? this.#wake : Effect.void))
  }
}
