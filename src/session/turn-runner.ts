// Runs the prompts of the inbox, one turn at a time, whether or not a client listens.
// Invariant: a turn is a function of the log, so a runner that starts after a crash or an answer just goes on.
import { Deferred, Effect, type ManagedRuntime } from "effect"
import { Asks, Hooks, Log, ToolLedger, TurnContext } from "../agent/ports.ts"
import { LiveAnswer } from "../agent/live-answer.ts"
import { runTurn } from "../agent/turn.ts"
import type { MessagesApi } from "../model/messages-api.ts"
import type { InboxEntry } from "./inbox.ts"
import { logLine } from "./log-line.ts"
import type { TurnServices } from "./turn-services.ts"

export interface RunnerDeps {
  readonly sessionId: string
  readonly runtime: ManagedRuntime.ManagedRuntime<MessagesApi, never>
  /** The prompt to run next, or undefined when there is none or it waits for an answer. */
  readonly next: () => InboxEntry | undefined
  /** The turn that waits for an answer with no fiber running. */
  readonly parked: () => InboxEntry | undefined
  readonly services: (entry: InboxEntry, signal: AbortSignal) => TurnServices
  /** What a turn must wait for before it begins. */
  readonly ready: () => Promise<void>
  /** The turn waits for an answer: remember that there is nothing to run. */
  readonly park: (turn: string) => void
  /** Arms the alarm that looks after a turn if this process dies. */
  readonly heartbeat: () => void
  /** Nothing runs any more. */
  readonly idle: () => void
  readonly keepAlive: (work: Promise<void>) => void
  readonly rowsWritten: () => number
  readonly debug: boolean
}

interface Running {
  readonly turn: string
  readonly live: LiveAnswer
  readonly abort: AbortController
  readonly interrupt: Deferred.Deferred<void>
  readonly ended: Promise<void>
}

export class TurnRunner {
  readonly #deps: RunnerDeps
  #running: Running | null = null
  #loop: Promise<void> | null = null

  constructor(deps: RunnerDeps) {
    this.#deps = deps
  }

  /** The turn that runs in this process, with the answer that streams. */
  get current(): { readonly turn: string; readonly live: LiveAnswer } | null {
    return this.#running
  }

  /** Starts what is next, if nothing runs. */
  start(): void {
    if (this.#loop !== null || this.#deps.next() === undefined) return
    const ran = this.#run().then(
      () => true,
      (error: unknown) => {
        logLine("error", "turn runner stopped", { session: this.#deps.sessionId, error })
        return false
      },
    )
    this.#loop = ran.then((well) => {
      this.#loop = null
      this.#running = null
      // A prompt may have come while the loop was ending. After a failure it is the alarm that starts again.
      if (well && this.#deps.next() !== undefined) this.start()
      else this.#deps.idle()
    })
    this.#deps.keepAlive(this.#loop)
  }

  /** Ends the turn that runs or waits; resolves when its result is written. False when there is none. */
  async stop(): Promise<boolean> {
    const parked = this.#deps.parked()
    if (parked === undefined) return this.interrupt()
    await this.interruptParked(parked)
    return true
  }

  /** Stops the turn that runs; resolves when its result is written. False when nothing runs. */
  async interrupt(): Promise<boolean> {
    const running = this.#running
    if (running === null) return false
    Deferred.doneUnsafe(running.interrupt, Effect.void)
    running.abort.abort()
    await running.ended
    return true
  }

  /** Ends a parked turn: it runs once more, only to be stopped. */
  async interruptParked(entry: InboxEntry): Promise<void> {
    const running = this.#begin(entry)
    Deferred.doneUnsafe(running.interrupt, Effect.void)
    running.abort.abort()
    this.#loop = running.ended.finally(() => {
      this.#loop = null
      this.#running = null
    })
    this.#deps.keepAlive(this.#loop)
    await this.#loop
    this.start()
    if (this.#loop === null) this.#deps.idle()
  }

  async #run(): Promise<void> {
    for (let entry = this.#deps.next(); entry !== undefined; entry = this.#deps.next()) {
      this.#deps.heartbeat()
      await this.#deps.ready()
      // It may have been taken back meanwhile.
      if (this.#deps.next()?.turn !== entry.turn) continue
      await this.#begin(entry).ended
      this.#running = null
    }
  }

  #begin(entry: InboxEntry): Running {
    const abort = new AbortController()
    const interrupt = Deferred.makeUnsafe<void>()
    const live = new LiveAnswer()
    const services = this.#deps.services(entry, abort.signal)
    const program = runTurn(live, interrupt).pipe(
      Effect.provideService(Log, services.log),
      Effect.provideService(Asks, services.asks),
      Effect.provideService(Hooks, services.hooks),
      Effect.provideService(ToolLedger, services.ledger),
      Effect.provideService(TurnContext, services.turn),
    )
    const startedAt = services.turn.now()
    const rows = this.#deps.rowsWritten()
    const ended = this.#deps.runtime.runPromise(program).then((outcome) => {
      if (outcome === "parked") this.#deps.park(entry.turn)
      if (!this.#deps.debug) return
      logLine("debug", `turn ${outcome}`, {
        session: this.#deps.sessionId,
        turn: entry.turn,
        ms: services.turn.now() - startedAt,
        rows_written: this.#deps.rowsWritten() - rows,
      })
    })
    this.#running = { turn: entry.turn, live, abort, interrupt, ended }
    return this.#running
  }
}
