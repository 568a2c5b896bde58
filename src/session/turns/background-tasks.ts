// Commands that go on after their call: begins them, and notifies the model of each one's end in a prompt.
// Invariant: what runs is stored with the events that announce it, so a command is never begun twice, and the end of one
// that died with its process is written by the next.
import type { Stamp } from "../../agent/messages/sdk-messages.ts"
import type { TurnOrigin } from "../../schemas/log/event-payloads.ts"
import {
  type BackgroundChange,
  type BackgroundEnd,
  type BackgroundPort,
  type BackgroundTask,
  type EndedTask,
  MAX_BACKGROUND_TASKS,
} from "../../tools/bash/background-port.ts"
import { WorkspaceError } from "../../workspace/workspace-error.ts"
import type { Workspace } from "../../workspace/workspace.ts"
import { type TaskTail, tailOf } from "../../tools/bash/output-tail.ts"
import { runningTasksMessage } from "../../agent/messages/sdk-messages.ts"
import { taskOf } from "../../agent/subagents/start-events.ts"
import * as Facts from "./background-facts.ts"
import { ForegroundCalls } from "../../tools/bash/foreground-calls.ts"
import { logLine } from "../server-log.ts"
import { CHECK_INTERVAL_MS } from "../storage/alarm.ts"
import type { SessionCore } from "../core.ts"
import { shortened } from "../../schemas/shortened.ts"

type Work = (signal: AbortSignal) => Promise<BackgroundEnd>

interface Run {
  readonly work: Work
  readonly abort: AbortController
  begun: boolean
}

/** What carries the runs of subagents in the background. */
export interface AgentRuns {
  /** Goes on with the run unless something carries it, or it waits for an answer; true when it is carried now. */
  look(task: BackgroundTask): boolean
  /** Stops carrying every other run: it is stored as running no more. */
  keepOnly(runIds: ReadonlyArray<string>): void
  endCopied(): void
  /** The events that end a run which is stopped. */
  stopped(task: BackgroundTask): BackgroundChange
}

const MAX_COMMAND = 2000

export class BackgroundTasks implements BackgroundPort {
  readonly #core: SessionCore
  /** As it is stored. */
  #running: ReadonlyArray<BackgroundTask>
  readonly #runs = new Map<string, Run>()
  readonly #waiters = new Set<() => void>()
  #agents: AgentRuns | null = null
  readonly foreground = new ForegroundCalls()

  constructor(core: SessionCore) {
    this.#core = core
    this.#running = core.meta.get("background") ?? []
  }

  readonly enter: BackgroundPort["enter"] = (toolUseId, call) => this.foreground.enter(toolUseId, call)

  readonly running = (): ReadonlyArray<BackgroundTask> => this.#running

  /** True while subagents go on: as the official SDK, the session is not idle then. Commands leave it idle. */
  get hasAgents(): boolean {
    return this.#running.some(({ agent }) => agent !== undefined)
  }

  readonly ended = (id: string): EndedTask | undefined => {
    const { memory } = this.#core
    const end = memory.endedTask(id)
    return end === undefined ? undefined : { ...end, isAgent: memory.subagents.endedOf(id) !== undefined }
  }

  readonly begin: BackgroundPort["begin"] = (given, work) => {
    if (this.#running.filter(({ agent }) => agent === undefined).length >= MAX_BACKGROUND_TASKS) return null
    const id = this.#core.capture?.idOf(given.toolUseId) ?? this.#core.context.newUuid().replaceAll("-", "")
    const task_id = `b${id.slice(-8)}`
    const task: BackgroundTask = {
      task_id,
      run_id: this.#core.context.newUuid(),
      tool_use_id: given.toolUseId,
      description: Facts.taskDescription(given.description),
      command: shortened(given.command, MAX_COMMAND),
      output_file: `${this.#folder}/${task_id}.output`,
      started_at: this.#core.context.now(),
    }
    return {
      task,
      facts: Facts.startedFacts(this.#stamps(null), task, [...this.#listedWithout(task_id), task]),
      commit: () => {
        this.#runs.set(task_id, { work: (signal) => work(task, signal), abort: new AbortController(), begun: false })
        this.#store([...this.#running, task])
      },
    }
  }

  readonly beginAgent: BackgroundPort["beginAgent"] = ({ agentId, runId, toolUseId, description, type }) => {
    const task = this.#agentTask({ agentId, runId, toolUseId, description, type })
    return {
      facts: [runningTasksMessage(this.#stamps(null)(), [...this.#listedWithout(agentId), task])],
      commit: () => this.#store([...this.#without(agentId), task]),
    }
  }

  readonly endAgent: BackgroundPort["endAgent"] = (id, end) => {
    const task = this.#running.find(({ task_id }) => task_id === id)
    if (task === undefined) return { facts: [], commit: () => undefined }
    const origin: TurnOrigin = { kind: "task-notification", producer: "session-task", runId: task.run_id }
    const { events, queue } = this.#core.prompts.notice(Facts.reportText(task, end), origin)
    return {
      facts: [runningTasksMessage(this.#stamps(null)(), this.#listedWithout(id)), ...events],
      commit: (written) => {
        this.#saveReport(task, end.report)
        queue(written)
        this.#store(this.#without(id))
        queueMicrotask(() => {
          this.#core.wake()
          this.#core.maintenance.flush()
        })
      },
    }
  }

  /** Without room for it the report is in the log alone. */
  #saveReport({ output_file: path }: BackgroundTask, report: string): void {
    try {
      this.#core.workspace.writeOwn(path, new TextEncoder().encode(report))
    } catch (error) {
      if (!(error instanceof WorkspaceError)) throw error
    }
  }

  /** Runs the subagents that are stored as running. Call it once, when the session is opened. */
  runAgentsWith(agents: AgentRuns): void {
    this.#agents = agents
  }

  /** Ends the subagents that went on in the session of which this one is a copy. */
  endCopied(): void {
    this.#agents?.endCopied()
  }

  /** Goes on with the subagents that nothing carries and that wait for nothing. */
  resumeAgents(): void {
    if (this.#core.isClosed) return
    for (const task of this.#running) {
      if (task.agent === undefined) continue
      try {
        if (this.#agents?.look(task) === true) this.#armed()
      } catch (error) {
        // The next alarm tries again.
        logLine("error", "a subagent in the background could not go on", { session: this.#core.id, error })
      }
    }
  }

  readonly stop: BackgroundPort["stop"] = (id) => {
    const task = this.#running.find(({ task_id }) => task_id === id)
    if (task === undefined) return undefined
    if (task.agent !== undefined) {
      const stopped = this.#agents?.stopped(task)
      return {
        facts: [
          ...(stopped?.facts ?? []),
          runningTasksMessage(this.#stamps(null)(), this.#listedWithout(id)),
          ...(this.#isLast(id) ? this.#core.stateEvents(null, "idle") : []),
        ],
        commit: () => {
          stopped?.commit()
          this.#store(this.#without(id))
        },
      }
    }
    return {
      facts: Facts.endedFacts(this.#stamps(null), task, { kind: "stopped" }, this.#listedWithout(id)),
      commit: () => this.#store(this.#without(id)),
    }
  }

  /** Stops subagents, or commands too, and writes their ends. */
  stopRunning(kinds: "agents" | "all"): void {
    for (const { task_id: id, agent } of this.#running) {
      const stopped = kinds === "all" || agent !== undefined ? this.stop(id) : undefined
      if (stopped !== undefined) this.#core.append(stopped.facts, stopped.commit)
    }
  }

  /** True when nothing of the session runs but this agent. */
  #isLast(id: string): boolean {
    return this.#core.inbox.head() === undefined && !this.#without(id).some(({ agent }) => agent !== undefined)
  }

  readonly wait: BackgroundPort["wait"] = async (id, ms, signal) => {
    const isOver = () => signal.aborted || !this.#running.some(({ task_id }) => task_id === id)
    if (isOver()) return
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer)
        signal.removeEventListener("abort", done)
        this.#waiters.delete(check)
        resolve()
      }
      const check = () => {
        if (isOver()) done()
      }
      const timer = setTimeout(done, ms)
      signal.addEventListener("abort", done)
      this.#waiters.add(check)
    })
  }

  /** The end of what a task printed; nothing before it has ended. Undefined for a task that the session never had. */
  tailOf(id: string, workspace: Workspace): TaskTail | undefined {
    const file = this.#running.find(({ task_id }) => task_id === id)?.output_file ?? this.ended(id)?.outputFile
    return file === undefined ? undefined : tailOf(workspace, file)
  }

  /** Writes the end of commands that are stored as running and that this process does not run: theirs has died. */
  recover(): void {
    if (this.#core.isClosed) return
    for (const task of this.#running)
      if (task.agent === undefined && !this.#runs.has(task.task_id)) this.#end(task, { kind: "lost" })
    this.resumeAgents()
  }

  /** Reads what runs again, after a transaction was rolled back. */
  reload(): void {
    this.#running = this.#core.meta.get("background") ?? []
    this.#settle()
  }

  /** Ends everything and writes nothing: the session is being erased. */
  close(): void {
    for (const { abort } of this.#runs.values()) abort.abort()
    this.#runs.clear()
    this.#agents?.keepOnly([])
  }

  /** Where outputs are saved. */
  get #folder(): string {
    const { cwd } = this.#core.record
    return `${cwd === "/" ? "" : cwd}/.perch/tasks`
  }

  /** The object stays awake, and is woken if it dies. */
  #keepAlive(work: Promise<void>): void {
    const { alarm, keepAlive, now } = this.#core.context
    keepAlive(work)
    alarm.guard(now() + CHECK_INTERVAL_MS)
  }

  #armed(): void {
    const { alarm, now } = this.#core.context
    alarm.guard(now() + CHECK_INTERVAL_MS)
  }

  #without(id: string): ReadonlyArray<BackgroundTask> {
    return this.#running.filter(({ task_id }) => task_id !== id)
  }

  /**
   * What clients see running, but for one task: an agent that is in the log and whose call has no result yet runs too,
   * so two agents that begin at once list each other.
   */
  #listedWithout(id: string): ReadonlyArray<BackgroundTask> {
    const isStored = (agent: string) => this.#running.some(({ task_id }) => task_id === agent)
    const beginning = this.#core.memory.subagents.running
      .filter(({ started }) => started.background && !isStored(started.agent_id))
      .map(({ started }) => this.#agentTask(taskOf(started)))
    return [...this.#running, ...beginning].filter(({ task_id }) => task_id !== id)
  }

  #agentTask(given: Parameters<BackgroundPort["beginAgent"]>[0]): BackgroundTask {
    return Facts.agentTask(given, this.#folder, this.#core.context.now())
  }

  #stamps(turn: string | null): () => Stamp {
    const { newUuid, now } = this.#core.context
    return () => ({ sessionId: this.#core.id, turn, uuid: newUuid(), at: now() })
  }

  /** Inside a transaction; what it means for the commands themselves waits until that has held or failed. */
  #store(running: ReadonlyArray<BackgroundTask>): void {
    if (running.length === 0) this.#core.meta.delete("background")
    else this.#core.meta.set("background", running)
    this.#running = running
    queueMicrotask(() => this.#settle())
  }

  /** Begins what is stored and has not begun, ends what is not stored any more. */
  #settle(): void {
    for (const [id, run] of this.#runs) {
      const task = this.#running.find(({ task_id }) => task_id === id)
      if (task === undefined) {
        this.#runs.delete(id)
        run.abort.abort()
      } else if (!run.begun) {
        run.begun = true
        this.#keepAlive(this.#run(task, run))
      }
    }
    this.#agents?.keepOnly(this.#running.map(({ run_id }) => run_id))
    this.resumeAgents()
    for (const check of this.#waiters) check()
    this.#core.announceIdle()
  }

  async #run(task: BackgroundTask, { work, abort }: Run): Promise<void> {
    const end = await work(abort.signal).catch((error: unknown) => {
      logLine("error", "a background command broke", { session: this.#core.id, error })
      return null
    })
    // It was stopped, or the session is gone: what came of it counts no more.
    if (this.#runs.get(task.task_id)?.abort !== abort) return
    const saved = end !== null && this.#tryToEnd(task, Facts.endOf(end), end.commit)
    // What can't be written now is written by the next process, or at the next alarm.
    if (!saved && !this.#tryToEnd(task, { kind: "unsaved" })) this.#runs.delete(task.task_id)
  }

  #tryToEnd(task: BackgroundTask, end: Facts.TaskEnd, commit?: () => void): boolean {
    try {
      this.#end(task, end, commit)
      return true
    } catch (error) {
      logLine("error", "a background command's end could not be stored", { session: this.#core.id, error })
      return false
    }
  }

  /** The end of a task, what it changed, and the prompt for the model: one transaction. */
  #end(task: BackgroundTask, end: Facts.TaskEnd, commit: () => void = () => undefined): void {
    const rest = this.#without(task.task_id)
    const origin: TurnOrigin = { kind: "task-notification", producer: "session-task", runId: task.run_id }
    const { events, queue } = this.#core.prompts.notice(Facts.notificationText(task, end), origin)
    const listed = this.#listedWithout(task.task_id)
    this.#core.append([...Facts.endedFacts(this.#stamps(null), task, end, listed), ...events], (written) => {
      commit()
      queue(written)
      this.#store(rest)
    })
    this.#core.wake()
    this.#core.maintenance.flush()
  }
}
