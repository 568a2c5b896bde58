// Runs the prompts of the inbox, one turn at a time, whether or not a client listens, for as long as one invocation of the
// object may last; then it hands over to the next.
// Invariant: a turn is a function of the log, so a runner that starts after a crash, an answer or a hand-over just continues,
// and one that was replaced writes nothing more.
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type * as ManagedRuntime from "effect/ManagedRuntime"
import type { Turn } from "../../agent/ports.ts"
import { LiveAnswer } from "../../agent/messages/live-answer.ts"
import type { TurnOutcome } from "../../agent/loop.ts"
import { runTurn } from "../../agent/turn.ts"
import type { MessagesApi } from "../../model/messages-api.ts"
import { progressOf } from "../storage/attempts.ts"
import type { InboxEntry } from "../storage/inbox.ts"
import { logLine } from "../server-log.ts"
import type { SessionCore } from "../core.ts"
import type { SessionErasure } from "../erasure.ts"
import { CHECK_INTERVAL_MS } from "../storage/alarm.ts"
import type { TurnControl } from "../recording/session-capture.ts"
import type { DirectCalls } from "./direct-calls.ts"
import { outcomeLog } from "./turn-metering.ts"
import { provided, type TurnParts, turnServices } from "./turn-services.ts"
import { answeredBy } from "./model-runtime.ts"
import { abandonTurn } from "./abandoned.ts"
import { fenced } from "./fence.ts"
import { Generation, type Pass, type TurnState } from "./generation.ts"
import { type Invocation, InvocationClock, invocationOf } from "./invocation.ts"

export interface RunnerParts {
  readonly turns: TurnParts
  /** Calls of clients, during which no turn starts. */
  readonly directCalls: DirectCalls
  readonly runtime: ManagedRuntime.ManagedRuntime<MessagesApi, never>
  readonly erasure: Pick<SessionErasure, "eraseIfAbandoned">
}

interface Running {
  readonly turn: string
  readonly pass: Pass
  readonly live: LiveAnswer
  readonly abort: AbortController
  readonly interrupt: Deferred.Deferred<void>
  readonly fiber: Fiber.Fiber<TurnOutcome>
  /** Resolves when the turn has stopped running here: with its result, parked, handed over, or taken over. */
  readonly ended: Promise<TurnOutcome | "replaced">
}

type Readiness = "ready" | "stopped" | "handed_over" | "gone"

type LoopEnd = "done" | "handed_over"

/** One run through the inbox, in one invocation of the object. */
type Loop = { readonly clock: InvocationClock }

export class TurnRunner {
  readonly #core: SessionCore
  readonly #parts: RunnerParts
  readonly #generation: Generation
  readonly #invocation: Invocation
  #running: Running | null = null
  #loop: Loop | null = null
  /** Ends the wait of a turn that has not started; it is then stopped as soon as it starts. */
  #waiting: { readonly stop: () => void; readonly begun: Promise<Running | null> } | null = null
  /** A turn that stopped here without its result; nothing of it runs any more. */
  #resumableTurn: string | null = null

  constructor(parts: RunnerParts) {
    this.#core = parts.turns.core
    this.#parts = parts
    this.#generation = new Generation(this.#core.meta, this.#core.log.lastSeq)
    this.#invocation = invocationOf(this.#core.context.env)
  }

  /** The prompt to run next, or undefined when there is none, or it waits for an answer or a call of a client. */
  #next(): InboxEntry | undefined {
    return this.#parts.directCalls.isChanging ? undefined : this.#core.runnable()
  }

  /** The turn that runs in this process, with the answer that streams. */
  get current(): { readonly turn: string; readonly live: LiveAnswer } | null {
    return this.#running
  }

  /** Starts what is next, if nothing runs. */
  start(): void {
    if (this.#loop !== null || this.#next() === undefined) return
    const loop: Loop = { clock: new InvocationClock(this.#invocation, this.#core.context.now) }
    this.#loop = loop
    const ended = this.#run(loop).then(
      (end) => this.#ended(loop, end),
      (error: unknown) => {
        logLine("error", "turn runner stopped", { session: this.#core.id, error })
        // After a failure the alarm starts the runner again.
        this.#ended(loop, "failed")
      },
    )
    this.#core.context.keepAlive(ended)
  }

  #ended(loop: Loop, end: LoopEnd | "failed"): void {
    loop.clock.stop()
    // Another loop has replaced it.
    if (this.#loop !== loop) return
    this.#loop = null
    this.#running = null
    if (end === "handed_over") return this.#core.context.alarm.arm(this.#core.context.now())
    // A prompt may have come while the loop was ending.
    if (end === "done" && this.#next() !== undefined) this.start()
    else this.#idle()
  }

  /**
   * Starts what is next, and takes the turn over from a runner whose invocation was cut off. Promises
   * of such a runner never settle, so it is recognized by its clock, which has stopped.
   */
  onAlarm(): void {
    const loop = this.#loop
    if (loop === null) return this.start()
    if (!loop.clock.isSilent()) return
    const waited = loop.clock.confirmSilence().then((silent) => {
      if (silent && this.#loop === loop) this.#replace(loop)
    })
    this.#core.context.keepAlive(waited)
  }

  /** For a playback: what a client or a crash did to the turn when it was recorded. */
  readonly control: TurnControl = {
    interrupt: () => this.#core.context.keepAlive(this.interrupt()),
    takeOver: () => {
      if (this.#loop !== null) this.#replace(this.#loop)
    },
  }

  #replace(loop: Loop): void {
    const running = this.#running
    logLine("warn", "a turn's runner has stopped responding; another runner takes over", {
      session: this.#core.id,
      ...(running === null ? {} : { turn: running.turn, generation: running.pass.generation }),
    })
    loop.clock.stop()
    this.#loop = null
    this.#running = null
    // Its pass is void before anything of it can run again.
    if (running !== null) {
      this.#generation.takeOver(running.turn, progressOf(this.#core.log))
      this.#resumableTurn = running.turn
      running.abort.abort()
      running.fiber.interruptUnsafe()
    }
    this.start()
  }

  /** Stops the turn that runs or waits; resolves when its result is written. False when there is none. */
  async stop(): Promise<boolean> {
    const waiting = this.#core.asks.parkedEntry() ?? this.#handedOver()
    if (waiting === undefined) return this.interrupt()
    await this.interruptParked(waiting)
    return true
  }

  /** The turn that has no runner now although it waits for nothing: the next invocation would continue it. */
  #handedOver(): InboxEntry | undefined {
    const next = this.#running === null && this.#waiting === null ? this.#next() : undefined
    return next?.turn === this.#resumableTurn ? next : undefined
  }

  /** Stops the turn that runs; resolves when its result is written. False when nothing runs. */
  async interrupt(): Promise<boolean> {
    const waiting = this.#waiting
    waiting?.stop()
    const running = this.#running ?? (await waiting?.begun) ?? null
    // It was handed over, or failed, before it began.
    if (running === null) return this.#handedOver() === undefined ? false : this.stop()
    halt(running)
    const outcome = await running.ended
    // It was handed over, or another runner took it over, at that moment: it is stopped there.
    if (outcome === "handed_over" || outcome === "replaced") await this.stop()
    return true
  }

  /** Ends a turn that has no fiber: it runs once more, only to be stopped. */
  async interruptParked(entry: InboxEntry): Promise<void> {
    const loop: Loop = { clock: new InvocationClock(this.#invocation, this.#core.context.now) }
    this.#loop = loop
    try {
      const { ended } = this.#begin(entry, loop.clock, true)
      this.#core.context.keepAlive(ended.catch(() => undefined))
      await ended
    } catch (error) {
      this.#failed(loop, entry, error)
    } finally {
      loop.clock.stop()
      if (this.#loop === loop) {
        this.#loop = null
        this.#running = null
      }
    }
    this.start()
    if (this.#loop === null) this.#idle()
  }

  async #run(loop: Loop): Promise<LoopEnd> {
    for (let entry = this.#next(); entry !== undefined; entry = this.#next()) {
      this.#heartbeat()
      const begun = Promise.withResolvers<Running | null>()
      try {
        const end = await this.#runNext(loop, entry, begun)
        if (end !== null) return end
      } catch (error) {
        this.#failed(loop, entry, error)
      } finally {
        this.#endWait(begun, null)
      }
    }
    return "done"
  }

  /** Runs the turn of `entry`, and resolves `begun` as soon as it runs. Null when the loop continues. */
  async #runNext(loop: Loop, entry: InboxEntry, begun: PromiseWithResolvers<Running | null>): Promise<LoopEnd | null> {
    const ready = await this.#whenReady(loop, entry, begun.promise)
    // A turn that a crash kept from ending for the prompt that replaces it ends now.
    const halted = ready === "stopped" || this.#core.inbox.isReplaced
    const running = ready === "ready" || ready === "stopped" ? this.#begin(entry, loop.clock, halted) : null
    this.#endWait(begun, running)
    if (this.#loop !== loop) return "done"
    if (ready === "handed_over") {
      // Until the next invocation continues it, a request to stop the turn finds no runner.
      this.#resumableTurn = entry.turn
      return ready
    }
    if (running === null) return null
    const outcome = await running.ended
    if (outcome === "replaced") return "done"
    this.#running = null
    if (outcome === "handed_over") return outcome
    this.#core.runningTurn.lane.leave()
    return loop.clock.countStep() && this.#next() !== undefined ? "handed_over" : null
  }

  /** Throws the error, so that the alarm tries the turn again, or ends the turn after too many attempts without an event. */
  #failed(loop: Loop, entry: InboxEntry, error: unknown): void {
    if (this.#loop !== loop) throw error
    const isStuck = this.#generation.isStuck(entry.turn)
    this.#generation.takeOver(entry.turn, progressOf(this.#core.log))
    this.#running = null
    this.#resumableTurn = entry.turn
    if (!isStuck) throw error
    logLine("error", "a turn was ended because it failed each time", { session: this.#core.id, error })
    abandonTurn(this.#parts.turns, entry)
  }

  /** Waits until the turn may start. `gone`: it was cancelled, it waits for a user to sign in, or another runner has taken over. */
  async #whenReady(loop: Loop, entry: InboxEntry, begun: Promise<Running | null>): Promise<Readiness> {
    const stopped = Promise.withResolvers<"stopped">()
    this.#waiting = { stop: () => stopped.resolve("stopped"), begun }
    const isNext = () => this.#loop === loop && this.#next()?.turn === entry.turn
    this.#generation.count(entry, this.#stateOf(entry), () => progressOf(this.#core.log))
    const ready = this.#core.runningTurn.prepare(entry).then(() => "ready" as const)
    let readiness: Readiness = await Promise.race([ready, stopped.promise])
    // A user must sign in to a server first.
    if (readiness === "ready" && this.#core.asks.holdsUp(entry.turn)) this.#core.asks.park(entry.turn)
    else if (readiness === "ready" && isNext()) {
      const countStep = () => loop.clock.countStep()
      const wait = { stopped: stopped.promise, isNext, waits: () => this.#generation.uncount(), countStep }
      const entered = await this.#core.runningTurn.lane.enter(entry, wait)
      if (entered !== null && entered !== "entered") readiness = entered
    }
    return isNext() ? readiness : "gone"
  }

  /** Ends the wait of a turn; a stop from now on is one of the running turn, if it has begun. */
  #endWait(begun: PromiseWithResolvers<Running | null>, running: Running | null): void {
    if (this.#waiting?.begun === begun.promise) this.#waiting = null
    begun.resolve(running)
  }

  /** Arms the alarm that resumes the turn if this process dies. */
  #heartbeat(): void {
    const { context, share } = this.#core
    context.alarm.guard(context.now() + CHECK_INTERVAL_MS)
    share.resumeTurn()
  }

  /** Call it when nothing runs any more: releases connections, the place in the lane and the slot. */
  #idle(): void {
    const { remoteMcp, runningTurn, share } = this.#core
    remoteMcp.rest()
    runningTurn.lane.leave()
    share.endTurn()
    this.#core.announceIdle()
    this.#core.maintenance.flushSoon()
    this.#parts.erasure.eraseIfAbandoned()
  }

  #stateOf({ turn }: InboxEntry): TurnState {
    return { hasBegun: this.#core.asks.hasBegun(turn), inOrder: this.#resumableTurn === turn }
  }

  /** Runs the turn, or only its end (`halted`). The fiber starts at once, so a turn to be ended is interrupted before it starts. */
  #begin(entry: InboxEntry, clock: InvocationClock, halted: boolean): Running {
    const abort = new AbortController()
    const interrupt = Deferred.makeUnsafe<void>()
    if (halted) halt({ interrupt, abort })
    const live = new LiveAnswer()
    const state = this.#stateOf(entry)
    this.#resumableTurn = null
    const pass = this.#generation.next(entry, state, () => progressOf(this.#core.log))
    const run: Turn["run"] = {
      countStep: () => clock.countStep() || this.#core.runningTurn.lane.isLost,
      isStuck: this.#generation.isStuck(entry.turn),
      lastFired: new Map(),
      usedFiles: new Map(),
    }
    this.#core.runningTurn.runs.begin(entry, state.hasBegun, () => this.#core.context.keepAlive(this.stop()))
    const services = fenced(turnServices(this.#parts.turns, entry, abort.signal, run), pass)
    const program = answeredBy(this.#core.runningTurn.runs.runtimeOf(entry.turn), runTurn(live, interrupt)).pipe(
      provided(services),
    )
    const logOutcome = outcomeLog(this.#core, entry.turn)
    const fiber = this.#parts.runtime.runFork(program)
    const ended = exitOf(fiber).then((exit) => {
      if (!pass.isCurrent()) return "replaced" as const
      if (Exit.isFailure(exit)) throw Cause.squash(exit.cause)
      const outcome = exit.value
      // A routed turn that falls back still has its prompt in the inbox.
      if (outcome !== "finished" || this.#core.inbox.head()?.turn === entry.turn) this.#resumableTurn = entry.turn
      if (outcome === "parked") {
        this.#core.asks.park(entry.turn)
        this.#core.runningTurn.runs.parked(entry.turn)
        this.#core.capture?.parked(entry.turn)
      }
      logOutcome(outcome)
      return outcome
    })
    this.#core.fold.use()
    this.#running = { turn: entry.turn, pass, live, abort, interrupt, fiber, ended }
    return this.#running
  }
}

const halt = ({ interrupt, abort }: Pick<Running, "interrupt" | "abort">): void => {
  Deferred.doneUnsafe(interrupt, Effect.void)
  abort.abort()
}

const exitOf = <A>(fiber: Fiber.Fiber<A>): Promise<Exit.Exit<A>> =>
  new Promise((resolve) => void fiber.addObserver(resolve))
