// Executes a stored run: processes its signals in order, runs handlers, starts agents' turns and reads their answers.
// Invariant: each phase of a signal is committed atomically, with the signals that it emits. A phase that was interrupted before
// its commit runs again; an agent's turn has deterministic ids, so that it runs once.
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Schema from "effect/Schema"
import type { RunSignal, RunStatus } from "../../schemas/api/workflows.ts"
import { signalFault } from "../../schemas/signal.ts"
import { AgentService } from "../agent.ts"
import { agentPrompt } from "../agent-answer.ts"
import { AgentError, HandlerError, messageOf, WorkflowError } from "../errors.ts"
import { decodeState } from "../state.ts"
import { agentsFor, isDone, runAgent, runHandlers } from "../step.ts"
import type { CompiledAgent } from "../workflow.ts"
import type { AnyWorkflow } from "../workflows/registered.ts"
import { type AgentTurns, turnIds } from "./agent-turns.ts"
import { harnessOf } from "./model-turns.ts"
import { signalsOf } from "./answer-format.ts"
import type { Commit, RunBook, Waiting } from "./run-book.ts"
import { entering, type Failure, isFailure, limitMet, stateText } from "./run-bounds.ts"
import type { RunRecord } from "./run-record.ts"
import { idsOf, turnEnd } from "./turn-end.ts"

export interface DurableRunDeps {
  readonly book: RunBook
  readonly turns: AgentTurns
  readonly workflowOf: (name: string) => AnyWorkflow | undefined
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Receives signals after they were committed. */
  readonly publish: (signals: ReadonlyArray<RunSignal>) => void
}

/** When to check the run again (ms since 1970); null when only a push or a request can change it. */
export type NextCheck = number | null

const HANDLER_MS = 60_000
/** Limit of restarts in the handlers of one signal, in case these handlers crash the server each time. */
const MAX_TAKEOVERS = 6
/** An open turn is first polled after this time; the interval then doubles up to `LAST_POLL_MS`. */
const FIRST_POLL_MS = 30_000
const LAST_POLL_MS = 10 * 60_000

/** `next`: there is more to do now. Otherwise when to check again. */
type Step = "next" | NextCheck

export class DurableRun {
  readonly #deps: DurableRunDeps
  /** Turns that this process has started. */
  readonly #startedTurns = new Set<string>()
  #polls = 0
  #again = false
  #driving: Promise<NextCheck> | null = null

  constructor(deps: DurableRunDeps) {
    this.#deps = deps
  }

  /** Call it when a new process loads the run: counts the takeover if the handlers of a signal are next. */
  takeOver(): void {
    const { current, status, takeovers } = this.#deps.book.existing
    if (current === null && status !== "waiting") this.#commit({ run: { takeovers: takeovers + 1 } })
  }

  /** Continues the run until it waits or has ended. Rejects when a part of the platform fails: call it again later. */
  drive(): Promise<NextCheck> {
    this.#again = true
    this.#driving ??= this.#loop()
    return this.#driving
  }

  /** Call it when a turn's session has changed: checks the turn now, and resets the polling interval. */
  changed(): Promise<NextCheck> {
    this.#polls = 0
    return this.drive()
  }

  /** Resolves when no step is running. If the run has ended or is being erased, no turn starts after that. */
  async idle(): Promise<void> {
    await this.#driving?.catch(() => undefined)
  }

  async #loop(): Promise<NextCheck> {
    try {
      let step: Step = null
      while (this.#again || step === "next") {
        this.#again = false
        step = await this.#step()
      }
      return step
    } finally {
      this.#driving = null
    }
  }

  async #step(): Promise<Step> {
    const { run } = this.#deps.book
    if (run === null || run.erasing || run.listed === null) return null
    if (run.endedAt !== null) return this.#stopTurns(run)
    const workflow = this.#deps.workflowOf(run.workflow)
    const stepped = await Effect.runPromiseExit(
      workflow === undefined
        ? new WorkflowError({ message: `This server no longer has the workflow ${run.workflow}.` })
        : this.#execute(workflow),
    )
    if (Exit.isSuccess(stepped)) return stepped.value
    const failure = Cause.squash(stepped.cause)
    if (!isFailure(failure)) throw failure
    return this.#isOver ? "next" : this.#end("failed", failure)
  }

  /** Whether the run has ended or is being erased: results of a running step are then discarded. */
  get #isOver(): boolean {
    const { run } = this.#deps.book
    return run === null || run.endedAt !== null || run.erasing
  }

  readonly #execute = Effect.fnUntraced(function* (
    this: DurableRun,
    workflow: AnyWorkflow,
  ): Effect.fn.Return<Step, Failure> {
    const { book } = this.#deps
    const { done, current, onEmpty } = book.existing
    const stored = book.stateAt(current?.seq ?? done)
    const state = yield* decodeState(workflow, JSON.parse(stored.json) as Schema.Json) // `#handle` wrote it
    if (current !== null) return yield* this.#turn(workflow, state, current)
    if (done > 0 && (yield* isDone(workflow, state))) return this.#end("completed", "until")
    const next = book.next(done)
    if (next !== undefined) return yield* this.#handle(workflow, state, stored.json, next)
    return onEmpty === "end" ? this.#end("completed", "empty") : this.#rest("waiting", null)
  })

  /** The first phase of a signal: runs its handlers. */
  readonly #handle = Effect.fnUntraced(function* (
    this: DurableRun,
    workflow: AnyWorkflow,
    state: unknown,
    stored: string,
    { seq, depth, signal }: Waiting,
  ): Effect.fn.Return<Step, Failure> {
    if (this.#deps.book.existing.takeovers > MAX_TAKEOVERS) {
      const message = `The handlers of ${signal.name} were started ${MAX_TAKEOVERS + 1} times, and the server stopped each time.`
      return yield* new HandlerError({ signal: signal.name, message })
    }
    const handled = yield* Effect.timeoutOrElse(runHandlers(workflow, state, signal), {
      duration: HANDLER_MS,
      orElse: () =>
        new HandlerError({
          signal: signal.name,
          message: `A handler of ${signal.name} took longer than ${HANDLER_MS / 1000} seconds.`,
        }),
    })
    const json = yield* stateText(workflow, handled.state)
    if (this.#isOver) return "next"
    const { lastSeq, ...before } = this.#deps.book.existing
    const waiting = before.waiting - 1
    const outside = before.outside - (depth === 0 ? 1 : 0)
    const counts = { depth: depth + 1, waiting: waiting - outside, lastSeq }
    const { signals, broken } = entering(workflow.limits, handled.emitted, counts)
    return this.#phase(broken, {
      run: {
        status: "running",
        waiting,
        outside,
        takeovers: 0,
        ...this.#after(seq, 1, agentsFor(workflow, signal).length),
      },
      ...(json === stored ? {} : { state: { seq, json } }),
      signals,
    })
  })

  /** The position of the run when `phase` phases of a signal are complete. */
  #after(seq: number, phase: number, agents: number): Partial<RunRecord> {
    return phase <= agents
      ? { current: { seq, phase } }
      : { current: null, done: seq, processed: this.#deps.book.existing.processed + 1 }
  }

  /** A later phase: starts the turn of the next agent, or checks its progress. */
  readonly #turn = Effect.fnUntraced(function* (
    this: DurableRun,
    workflow: AnyWorkflow,
    state: unknown,
    { seq, phase }: { readonly seq: number; readonly phase: number },
  ): Effect.fn.Return<Step, Failure> {
    const { book, turns, now } = this.#deps
    const found = book.at(seq)
    const agents = found === undefined ? [] : agentsFor(workflow, found.signal)
    const agent = agents[phase - 1]
    // A newer version of the workflow may have fewer agents.
    if (found === undefined || agent === undefined) {
      this.#commit({ run: this.#after(seq, phase, 0) })
      return "next"
    }
    const row = book.turn(seq, agent.definition.name)
    if (row === undefined) return yield* this.#activate(workflow, agent, state, found)
    const key = `${row.seq}/${row.agent}`
    const asked = this.#startedTurns.has(key)
      ? turns.poll(book.existing, row)
      : turns.begin(book.existing, row, agent.definition)
    const progress = yield* Effect.promise(() => asked)
    if (this.#isOver) return "next"
    if (progress.tag === "later") return this.#rest("running", this.#deps.now() + progress.afterMs, progress.reason)
    if (progress.tag === "open") {
      this.#startedTurns.add(key)
      return this.#rest(progress.asks ? "waiting" : "running", this.#nextPoll())
    }
    this.#startedTurns.delete(key)
    this.#polls = 0
    const end = { progress, harness: harnessOf(book.existing, agent.definition), parent: found.signal.id, now: now() }
    const ended = (status: "completed" | "failed") => turnEnd(book.existing, row, { status, ...end })
    const answer =
      progress.tag === "ended"
        ? signalsOf(progress.result, agent.definition)
        : new AgentError({ agent: row.agent, message: `The turn of ${row.agent} failed: ${progress.message}` })
    const answered = yield* runAgent(workflow, agent, state, found.signal).pipe(
      Effect.provideService(AgentService, { run: () => answer }),
      Effect.tapError(() => Effect.sync(() => this.#commit(ended("failed")))),
    )
    const { waiting, outside, lastSeq } = book.existing
    const counts = { depth: found.depth + 1, waiting: waiting - outside, lastSeq }
    const { signals: emitted, broken } = entering(workflow.limits, answered.emitted, counts)
    const { run, signals = [], ...settled } = ended("completed")
    return this.#phase(broken, {
      ...settled,
      run: { ...run, ...this.#after(seq, phase + 1, agents.length) },
      signals: [...signals, ...emitted],
    })
  })

  /** Records that an agent's turn starts, before it does. */
  readonly #activate = Effect.fnUntraced(function* (
    this: DurableRun,
    workflow: AnyWorkflow,
    { definition }: CompiledAgent<unknown>,
    state: unknown,
    { seq, signal }: Waiting,
  ): Effect.fn.Return<Step, Failure> {
    const { book, now } = this.#deps
    const run = book.existing
    const { name: agent } = definition
    if (run.turns >= workflow.limits.agents) {
      return yield* limitMet("agents", workflow.limits.agents, `the turn of ${agent} would be one too many`)
    }
    const prompt = yield* Effect.try({
      try: () => definition.prompt(state, signal),
      catch: (error) =>
        new AgentError({
          agent,
          message: `The prompt of ${agent} could not be created: ${messageOf(error)}`,
          cause: error,
        }),
    })
    const activated = { agent, trigger: signal.name, prompt }
    const fault = signalFault("agent:activated", activated)
    if (fault !== null) return yield* new AgentError({ agent, message: fault })
    const harness = harnessOf(run, definition)
    if (definition.harness !== undefined && definition.harness !== harness) {
      return yield* new AgentError({
        agent,
        message: `${agent} needs the harness ${definition.harness}, which durable runs don't have.`,
      })
    }
    const ids = harness === "session" ? yield* Effect.promise(() => turnIds(run, seq, agent)) : NO_SESSION
    if (this.#isOver) return "next"
    const source = { agent, harness, parent: signal.id }
    const input = harness === "session" ? prompt : agentPrompt(prompt, definition)
    this.#commit({
      run: { turns: run.turns + 1, status: "running" },
      turn: { seq, agent, ...ids, prompt, status: "running", usd: null, startedAt: now() },
      signals: [
        { name: "agent:activated", payload: activated, source, depth: 0 },
        {
          name: "harness:start",
          payload: { input, ...idsOf(ids) },
          source,
          depth: 0,
        },
      ],
    })
    return "next"
  })

  /** Commits the results of a phase. A signal that exceeds a limit and the end of the run are one commit. */
  #phase(broken: WorkflowError | null, change: Commit): Step {
    if (broken !== null) return this.#end("failed", broken, change)
    this.#commit(change)
    return "next"
  }

  #commit(change: Commit): void {
    this.#deps.publish(this.#deps.book.commit(change))
  }

  /** Pauses the run with this status until `check`. `delayReason` is why an agent's turn can't start. */
  #rest(status: RunStatus, check: NextCheck, delayReason?: string): Step {
    const run = this.#deps.book.existing
    if (run.status !== status || run.delayReason !== delayReason) this.#commit({ run: { status, delayReason } })
    return check
  }

  #nextPoll(): number {
    const pause = Math.min(FIRST_POLL_MS * 2 ** this.#polls, LAST_POLL_MS)
    this.#polls += 1
    return this.#deps.now() + pause
  }

  #end(status: "completed" | "failed", why: "until" | "empty" | Failure, last: Commit = {}): Step {
    const error = typeof why === "string" ? null : { type: why._tag, message: why.message }
    this.#commit({
      ...last,
      run: { ...last.run, status, error, endedAt: this.#deps.now(), current: null },
      signals: [
        ...(last.signals ?? []),
        {
          name: "workflow:end",
          payload: typeof why === "string" ? { reason: why } : { reason: "error", error: { ...error } },
          depth: 0,
        },
      ],
    })
    return "next"
  }

  /** Stops the turns that are still running when their run has ended. */
  async #stopTurns(run: RunRecord): Promise<Step> {
    for (const row of this.#deps.book.turns()) {
      if (row.status !== "running") continue
      await this.#deps.turns.stop(run, row)
      if (this.#deps.book.run === null) return null
      this.#commit({ turn: { ...row, status: "stopped" } })
    }
    return null
  }
}

/** Ids of a turn that a model alone answers. */
const NO_SESSION = { session: null, turn: null }
