// Executes subagents in the background: each runs concurrently with the turns of its session, for as long as one invocation of the
// object may last, and continues in the next.
// Invariant: a run is a function of the log, as a turn is: after the death of its process it just continues, and a run that
// was stopped, or whose runner was replaced, writes nothing more.
import { overlaid } from "../../schemas/sdk/options/variants.ts"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type * as ManagedRuntime from "effect/ManagedRuntime"
import { Loop, type LoopService, type TurnOutcome } from "../../agent/loop.ts"
import type { Turn } from "../../agent/ports.ts"
import { runAgentTurn } from "../../agent/subagents/run-agent-turn.ts"
import { stoppedEnd } from "../../agent/subagents/agent-end.ts"
import { stoppedRun } from "../../agent/subagents/stopped-agents.ts"
import { loopOf } from "../../agent/turn.ts"
import { freshRun, NO_PROMPT, NO_QUEUE } from "../../agent/turn-parts.ts"
import type { MessagesApi } from "../../model/messages-api.ts"
import type { AgentEnded } from "../../schemas/log/agent-events.ts"
import { EventNames, type NewEvent } from "../../schemas/log/events.ts"
import type { SessionOptions } from "../../schemas/sdk/options/options.ts"
import { toolsFor } from "../../tools/registry.ts"
import type { BackgroundChange, BackgroundTask } from "../../tools/bash/background-port.ts"
import type { Subagent } from "../../agent/transcript/subagents.ts"
import type { SessionCore } from "../core.ts"
import { logLine } from "../server-log.ts"
import { ABANDONED, bareTurn } from "./abandoned.ts"
import { isStuck, nextAttempt } from "../storage/attempts.ts"
import type { AgentExecutor } from "./background-tasks.ts"
import { fenced } from "./fence.ts"
import { InvocationClock, invocationOf } from "./invocation.ts"
import { asksOf, logOf, provided, sessionTurn, type TurnParts, type TurnServices } from "./turn-services.ts"

/** A run that this process executes. */
interface Execution {
  readonly clock: InvocationClock
  readonly abort: AbortController
  readonly turn: Turn
  /** Null until the loop has begun. */
  loop: LoopService | null
  fiber: Fiber.Fiber<TurnOutcome> | null
  isCurrent: boolean
}

export interface BackgroundAgentParts {
  readonly turns: TurnParts
  readonly runtime: ManagedRuntime.ManagedRuntime<MessagesApi, never>
}

export class BackgroundAgents implements AgentExecutor {
  readonly #core: SessionCore
  readonly #parts: BackgroundAgentParts
  /** The runs that are executed in this process, by their ids. */
  readonly #executions = new Map<string, Execution>()
  /** By run that this process has begun: true while it is executed and after a failure, false once it was parked or handed over. */
  readonly #failed = new Map<string, boolean>()
  /** Runs that started after this event have no earlier process. */
  readonly #openedAt: number

  constructor(parts: BackgroundAgentParts) {
    this.#core = parts.turns.core
    this.#parts = parts
    this.#openedAt = this.#core.log.lastSeq
  }

  ensureRunning(task: BackgroundTask): boolean {
    const execution = this.#executions.get(task.run_id)
    if (execution?.clock.isSilent() === true) this.#replaceIfCutOff(task.run_id, execution)
    if (execution !== undefined) return true
    if (this.#core.askStore.open.some((ask) => ask.turn === task.run_id)) return false
    const agent = this.#core.memory.subagents.runningOf(task.task_id)
    if (agent === undefined) return false
    const stuck = this.#isStuck(agent)
    if (stuck) this.#abandon(task, agent)
    else this.#begin(task, agent)
    return !stuck
  }

  /** Counts the attempt if an earlier one failed or died with its process; true when there were too many without an event. */
  #isStuck(agent: Subagent): boolean {
    const { memory, meta } = this.#core
    const failed = this.#failed.get(agent.key) ?? agent.seq <= this.#openedAt
    this.#failed.set(agent.key, true)
    if (!failed) return false
    const stored = meta.get("background_attempts")
    // Progress of any subagent counts: an agent may wait for another that it started.
    const last = Math.max(...memory.subagents.running.map(({ lastSeq }) => lastSeq))
    const attempts = nextAttempt(stored?.[agent.key], last)
    meta.set("background_attempts", { ...stored, [agent.key]: attempts })
    return isStuck(attempts)
  }

  keepOnly(runIds: ReadonlyArray<string>): void {
    for (const [id, execution] of this.#executions) if (!runIds.includes(id)) this.#drop(id, execution)
  }

  stopChange(
    task: BackgroundTask,
    listed: ReadonlyArray<NewEvent> = [],
    agent = this.#core.memory.subagents.runningOf(task.task_id),
    ended = agent && stoppedEnd(agent),
  ): BackgroundChange {
    if (agent === undefined) return { facts: listed, commit: () => undefined }
    const execution = this.#executions.get(task.run_id)
    const turn = execution?.turn ?? bareTurn(this.#parts.turns, task.run_id)
    const asked = this.#core.asks.interrupted(({ turn: of }) => of === task.run_id)
    const facts = [...asked.events, ...stoppedRun(turn, agent, execution?.loop ?? null, ended, listed)]
    const commit = () => {
      asked.commit()
      queueMicrotask(asked.committed)
    }
    return { facts, commit }
  }

  suspendedEnd(id: string): ReadonlyArray<NewEvent> {
    const agent = this.#core.memory.subagents.runningOf(id)
    if (agent === undefined || agent.started.background) return []
    return stoppedRun(bareTurn(this.#parts.turns, agent.turn ?? ""), agent, null)
  }

  /** Ends a run that failed each time it was tried; its model gets the end in a prompt. */
  #abandon(task: BackgroundTask, agent: Subagent): void {
    const ended: AgentEnded = { ...stoppedEnd(agent), status: "failed", report: ABANDONED.errors[0] }
    const stopped = this.stopChange(task, [], agent, ended)
    const after = this.#core.background.endAgent(task.task_id, ended)
    this.#core.append([...stopped.facts, ...after.facts], (written) => {
      stopped.commit(written)
      after.commit(written)
    })
  }

  /** Ends the subagents in a copy of a session: they continue in the original. */
  endCopied(): void {
    const { log, memory } = this.#core
    if (log.read({ after: 0, limit: 1, order: "asc", name: EventNames.agentStarted }).length === 0) return
    for (const { started } of memory.subagents.running.filter((agent) => agent.started.background)) {
      const { agent_id: task_id, run_id, tool_use_id, description, agent_type: agent } = started
      const task = { task_id, run_id, tool_use_id, description, command: "", output_file: "", started_at: 0, agent }
      const { facts, commit } = this.stopChange(task)
      this.#core.append(facts, commit)
    }
  }

  /** Continues a run whose invocation was cut off: from then on the rest of it can write nothing more. */
  #replaceIfCutOff(id: string, execution: Execution): void {
    const waited = execution.clock.confirmSilence().then((silent) => {
      if (!silent || this.#executions.get(id) !== execution) return
      this.#drop(id, execution)
      this.#core.background.resumeAgents()
    })
    this.#core.context.keepAlive(waited)
  }

  #drop(id: string, execution: Execution): void {
    this.#executions.delete(id)
    execution.isCurrent = false
    execution.clock.stop()
    execution.abort.abort()
    execution.fiber?.interruptUnsafe()
  }

  #begin(task: BackgroundTask, agent: Subagent): void {
    const { context } = this.#core
    const abort = new AbortController()
    // What the run is made of may fail: its clock, which keeps a timer, starts after that.
    const services = this.#servicesOf(task, abort.signal, () => clock.countStep())
    const clock = new InvocationClock(invocationOf(context.env), context.now)
    const execution: Execution = { clock, abort, turn: services.turn, loop: null, fiber: null, isCurrent: true }
    const own = fenced(services, { generation: 0, isCurrent: () => execution.isCurrent })
    const program = Effect.gen(function* () {
      const loop = yield* loopOf
      execution.loop = loop
      return yield* Effect.provideService(runAgentTurn(own.turn, agent, loop), Loop, loop)
    }).pipe(provided(own))
    this.#executions.set(task.run_id, execution)
    const fiber = this.#parts.runtime.runFork(program)
    execution.fiber = fiber
    const ended = new Promise<void>((resolve) => {
      fiber.addObserver((exit) => {
        if (execution.isCurrent) this.#ended(task, execution, exit._tag === "Success" ? exit.value : exit.cause)
        resolve()
      })
    })
    context.keepAlive(ended)
  }

  /** A parked run continues with its answer; a run that was handed over or has failed continues at the alarm. */
  #ended(task: BackgroundTask, execution: Execution, outcome: TurnOutcome | Cause.Cause<never>): void {
    const { alarm, now } = this.#core.context
    execution.clock.stop()
    this.#executions.delete(task.run_id)
    if (typeof outcome !== "string") {
      const error = Cause.squash(outcome)
      return logLine("error", "a subagent in the background stopped", { session: this.#core.id, error })
    }
    this.#failed.set(task.run_id, false)
    if (outcome === "handed_over") alarm.arm(now())
    // The answer may have come while the run was ending.
    if (outcome !== "parked") return
    this.#core.capture?.parked(task.run_id)
    this.#core.background.resumeAgents()
  }

  /** The session's options, overlaid with those of the turn that started the run, except its hooks and MCP servers. */
  #optionsOf(task: BackgroundTask): () => SessionOptions {
    const began = this.#core.memory.subagents.runningOf(task.task_id)?.turn ?? null
    const entry = began === null ? undefined : this.#core.inbox.find(began)
    const queued =
      entry === undefined ? {} : this.#core.log.atNamed(entry.seq, EventNames.turnQueued)?.event.payload.options
    // Secrets of a turn's own hooks and servers are kept no longer than the turn.
    const { hooks: _, mcpServers: _servers, ...own } = this.#core.turnSecrets.unmasked(began ?? "", queued ?? {})
    let last: { readonly of: SessionOptions; readonly made: SessionOptions } | null = null
    return () => {
      const { options } = this.#core.record
      if (last?.of !== options) last = { of: options, made: overlaid(options, own) }
      return last.made
    }
  }

  #servicesOf(task: BackgroundTask, signal: AbortSignal, countStep: () => boolean): TurnServices {
    const { hooks, ledger } = this.#parts.turns
    return {
      log: logOf(this.#core, task.run_id),
      asks: asksOf(this.#core, task.run_id),
      hooks,
      ledger,
      turn: this.#turnOf(task, signal, countStep),
    }
  }

  /** The turn from which the agent's own is derived: it belongs to the session, but to none of its prompts. */
  #turnOf(task: BackgroundTask, signal: AbortSignal, countStep: () => boolean): Turn {
    const core = this.#core
    const { mcp, permissions } = core
    const options = this.#optionsOf(task)
    const makeTools = () => toolsFor(options(), mcp.tools, core.definitions.agents)
    return sessionTurn(this.#parts.turns, options, makeTools, {
      id: task.run_id,
      ...NO_PROMPT,
      ...NO_QUEUE,
      agentsInBackground: false,
      budgets: () => {
        const session = options().maxBudgetUsd
        return session === undefined ? {} : { session }
      },
      spent: () => ({ session: core.memory.accounting.spent.session, turn: 0 }),
      commands: core.commands.book,
      mcpServers: mcp.status(),
      run: freshRun(countStep),
      signal,
      policy: () => permissions.policy(options()),
      announce: () => NO_TURN,
      begin: () => NO_TURN,
      finish: () => NO_TURN,
    })
  }
}

const NO_TURN = Effect.die(new Error("a subagent in the background has no turn of its own"))
