// The runs of a session: stretches of turns with a runtime and a time limit of their own. Receives each turn that starts and
// each write; logs that a run starts, pauses for the results of client tools, resumes with them, and times out.
// Invariant: the state of a run can be read from the log again; a session without runs writes and reads nothing for them.
import type { RunPaused } from "../../schemas/runs/run-events.ts"
import type { RunRuntime } from "../../schemas/runs/run-runtime.ts"
import { EventNames, isTurnResult, type NewEvent } from "../../schemas/log/events.ts"
import type { AgentRunStatus, RunSubmission, SubmitArgs, Submitted } from "../../schemas/rpc/turns.ts"
import { logLine } from "../server-log.ts"
import { noSession, type Refusal, refuse } from "../refusal.ts"
import type { InboxEntry } from "../storage/inbox.ts"
import type { StoredEvent } from "../storage/log.ts"
import type { SessionCore } from "../core.ts"
import { promptReport } from "./prompt-report.ts"
import { decideRuntime, type RuntimeDecision, runtimeConflict } from "./decide-runtime.ts"
import { currentStretch, runStatus } from "./run-stretch.ts"

/** The run in progress. */
interface CurrentRun {
  readonly turn: string
  readonly id: string
  /** When its time is over, milliseconds since 1970. */
  readonly deadline: number
}

/** Ends the turn that runs or waits. */
type StopTurn = () => void

export class AgentRuns {
  readonly #core: SessionCore
  #current: CurrentRun | null = null
  #decided: (RuntimeDecision & { readonly turn: string }) | null = null
  #timer: ReturnType<typeof setTimeout> | undefined
  #stop: StopTurn = () => undefined
  /** True when the model's last answer has ended, so that no further call follows. */
  #answered = false
  #resuming = false
  /** seq of the last pause that this process has written. */
  #pausedAt = 0

  constructor(core: SessionCore) {
    this.#core = core
  }

  /** Why a run can't be a turn of this session; undefined when it can. */
  refusal(run: RunSubmission | undefined): Refusal | undefined {
    if (run === undefined) return undefined
    const fault = runtimeConflict(run, this.#core.record.options.runtime)
    return fault === undefined ? undefined : refuse("conflict_error", fault, "runtime")
  }

  /** Call it when a runner takes the turn: the time of its run counts from now, or from the run's start if the turn has begun. */
  begin(entry: InboxEntry, hasBegun: boolean, stop: StopTurn): void {
    const run = this.#core.prompts.queued(entry).run
    if (run === undefined) return
    this.#stop = stop
    const { env, now } = this.#core.context
    const begun = hasBegun ? currentStretch(this.#core.log, entry.turn) : null
    if (begun === null) {
      const decision = decideRuntime(run, this.#core.record.options.runtime, env)
      this.#decided = { turn: entry.turn, ...decision }
      return this.#goOn({ turn: entry.turn, id: run.run_id, deadline: now() + run.timeout_ms })
    }
    this.#decided = { turn: entry.turn, runtime: begun.runtime }
    this.#answered = true
    if (begun.run !== null) this.#goOn({ turn: entry.turn, ...begun.run })
  }

  #goOn(run: CurrentRun): void {
    this.#current = run
    clearTimeout(this.#timer)
    const timeOut = () => {
      try {
        this.#timeOut()
      } catch (error) {
        logLine("error", "a run could not be stopped at its time", { session: this.#core.id, error })
      }
    }
    this.#timer = setTimeout(timeOut, Math.max(0, run.deadline - this.#core.context.now()))
  }

  #rest(): void {
    this.#current = null
    clearTimeout(this.#timer)
  }

  /** The runtime that answers the turn's model requests; undefined for a turn that is no run. */
  runtimeOf(turn: string): RunRuntime | undefined {
    return this.#decided?.turn === turn ? this.#decided.runtime : undefined
  }

  /** Why the turn can't start; undefined when it can. */
  faultOf(turn: string): string | undefined {
    return this.#decided?.turn === turn ? this.#decided.fault : undefined
  }

  /** The first event of a run's turn; none for a turn that is no run. */
  startEvents(entry: InboxEntry, events: ReadonlyArray<NewEvent>): ReadonlyArray<NewEvent> {
    const run = this.#core.prompts.queued(entry).run
    if (run === undefined || this.#decided?.turn !== entry.turn) return []
    const { run_id, timeout_ms, session_key } = run
    const key = session_key === undefined ? {} : { session_key }
    const report = promptReport(this.#core, events)
    const payload = { run_id, timeout_ms, runtime: this.#decided.runtime, ...key, report }
    return [{ name: EventNames.runStarted, payload, turn: entry.turn }]
  }

  /** Call it after each write: pauses the run when its turn waits for results of client tools only. */
  wrote(events: ReadonlyArray<StoredEvent>): void {
    const run = this.#current
    if (run === null) return
    for (const { event } of events) {
      if (event.turn !== run.turn) continue
      if (isTurnResult(event)) return this.#rest()
      // The run's time stops while the turn waits for its place in the lane.
      if (event.name === EventNames.laneWaiting) clearTimeout(this.#timer)
      if (event.name === EventNames.laneEntered) {
        this.#goOn({ ...run, deadline: run.deadline + event.payload.waited_ms })
      }
      if (event.parent_tool_use_id !== null) continue
      if (event.name === "sdk:assistant") this.#answered = false
      else if (event.name === EventNames.callFinished) this.#answered = true
    }
    if (this.#answered && !this.#resuming) this.#pause(run)
  }

  #pause({ turn, id }: CurrentRun): void {
    const { open } = this.#core.askStore
    if (open.length === 0 || open.some(({ ask, turn: of }) => ask.kind !== "client_tool" || of !== turn)) return
    const calls = open.map(({ ask }) => ({ id: ask.tool_use_id, name: ask.tool_name, input: ask.input }))
    this.#rest()
    this.#pausedAt = this.#core.log.lastSeq + 1
    const payload: RunPaused = { run_id: id, calls }
    this.#core.append([{ name: EventNames.runPaused, payload, turn }])
  }

  /** Call it when the turn is parked: pauses its run, or arms the alarm for its time, which keeps running. */
  parked(turn: string): void {
    const run = this.#current
    if (run?.turn !== turn) return
    this.#answered = true
    this.#pause(run)
    if (this.#current !== null) this.#core.context.alarm.arm(run.deadline)
  }

  /** Stops a run whose turn is parked if its time is over. */
  onAlarm(stop: StopTurn): void {
    const entry = this.#core.asks.parkedEntry()
    if (entry === undefined || this.#core.prompts.queued(entry).run === undefined) return
    this.begin(entry, true, stop)
    const run = this.#current
    if (run === null) return
    if (run.deadline <= this.#core.context.now()) this.#timeOut()
    else this.#core.context.alarm.arm(run.deadline)
  }

  #timeOut(): void {
    const run = this.#current
    if (run === null || this.#core.isClosed) return
    this.#rest()
    this.#core.append([{ name: EventNames.runTimedOut, payload: { run_id: run.id }, turn: run.turn }])
    this.#stop()
  }

  /** Receives a run with results of client tools: its turn resumes with them. Repeating the request changes nothing. */
  resume(args: SubmitArgs, { results = [], ...run }: RunSubmission): Submitted | Refusal {
    const { asks, askStore, inbox } = this.#core
    const known = inbox.find(args.turn)
    if (known !== undefined && known.fingerprint !== args.fingerprint) {
      return refuse("unprocessable_error", "this run was started before with another request", "runId")
    }
    const found = results.map(({ id, answer }) => ({
      id,
      answer: { ...answer },
      ask: askStore.open.find(
        (row) => row.ask.kind === "client_tool" && row.ask.tool_use_id === id && this.#isRun(row.turn),
      ),
    }))
    if (known === undefined) {
      const lost = found.findIndex(({ ask }) => ask === undefined)
      if (lost >= 0) return noCall(String(found[lost]?.id), lost)
      const host = String(found[0]?.ask?.turn)
      const { run_id, timeout_ms, session_key } = run
      const key = session_key === undefined ? {} : { session_key }
      const payload = { run_id, timeout_ms, calls: found.map(({ id }) => id), ...key }
      this.#resuming = true
      this.#core.append([{ name: EventNames.runResumed, payload, turn: host, uuid: args.turn }], (written) => {
        const seq = written[0]?.seq ?? 0
        inbox.add({ turn: args.turn, seq, fingerprint: args.fingerprint })
        inbox.settle(args.turn, seq)
      })
      this.#goOn({ turn: host, id: run_id, deadline: this.#core.context.now() + timeout_ms })
    }
    // Also for a repeated request: the process may have died between the event and the answers.
    this.#resuming = true
    for (const { ask, answer } of found)
      if (ask !== undefined) asks.settle([ask], { by: "client", answer }, { actor: args.actor })
    this.#resuming = false
    this.#answered = true
    if (this.#current !== null) this.#pause(this.#current)
    const status = this.status(args.turn)
    if ("refused" in status) return status
    const { first_seq: seq, pending } = status
    return { turn_id: args.turn, status: status.status, pending, seq, replayed: known !== undefined }
  }

  #isRun(turn: string): boolean {
    const entry = this.#core.inbox.open.find((open) => open.turn === turn)
    return entry !== undefined && this.#core.prompts.queued(entry).run !== undefined
  }

  status(turn: string): AgentRunStatus | Refusal {
    return runStatus(this.#core, turn) ?? refuse("not_found_error", "there is no such run in this session")
  }

  /** Resolves when the run is over, or after `timeoutMs`. */
  async wait(turn: string, timeoutMs: number): Promise<AgentRunStatus | Refusal> {
    const status = this.status(turn)
    if ("refused" in status || status.last_seq !== null) return status
    const { inbox, life, turnWaits } = this.#core
    const isOver = () => this.#pausedAt > status.first_seq || !inbox.open.some((entry) => entry.turn === status.turn)
    await turnWaits.until(isOver, timeoutMs)
    return life.isErased ? noSession : this.status(turn)
  }
}

const noCall = (id: string, index: number): Refusal =>
  refuse(
    "conflict_error",
    `toolResults[${index}].id: no call ${JSON.stringify(id.slice(0, 80))} of a client tool waits for its result. It may have one already.`,
    `toolResults[${index}].id`,
  )
