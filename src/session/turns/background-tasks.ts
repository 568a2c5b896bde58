// Commands and subagents that continue after their call: starts the commands, and notifies the model of each end in a prompt.
// Invariant: a running task is stored with the events that announce it, so a command is never started twice, and the end of
// one that died with its process is written by the next process.
import {
  type BackgroundChange,
  type BackgroundEnd,
  type BackgroundPort,
  type BackgroundTask,
  type EndedTask,
  MAX_BACKGROUND_TASKS,
} from "../../tools/bash/background-port.ts"
import type { NewEvent } from "../../schemas/log/events.ts"
import type { Workspace } from "../../workspace/workspace.ts"
import { saveReport, type TaskTail, tailOf } from "../../tools/bash/output-tail.ts"
import { runningTasksMessage, type Stamp } from "../../agent/messages/sdk-messages.ts"
import { beginningTasks } from "../../agent/subagents/start-events.ts"
import * as Facts from "./background-facts.ts"
import { ForegroundCalls } from "../../tools/bash/foreground-calls.ts"
import { logLine } from "../server-log.ts"
import { CHECK_INTERVAL_MS } from "../storage/alarm.ts"
import type { SessionCore } from "../core.ts"
import { shortened } from "../../schemas/shortened.ts"
import { Waiters } from "../waiters.ts"

type Work = (signal: AbortSignal) => Promise<BackgroundEnd>

interface Run {
  readonly work: Work
  readonly abort: AbortController
  begun: boolean
}

/** Executes the runs of subagents in the background. */
export interface AgentExecutor {
  /** Continues the run unless it is executed already, or waits for an answer; true when it is executed now. */
  ensureRunning(task: BackgroundTask): boolean
  /** Stops executing all other runs. They are not stored as running any more. */
  keepOnly(runIds: ReadonlyArray<string>): void
  endCopied(): void
  /** The events and the change that end the run, for the transaction that stops it; `listed` is the list of the other tasks. */
  stopChange(task: BackgroundTask, listed: ReadonlyArray<NewEvent>): BackgroundChange
  /** The events that stop an agent whose call waits for it, when nothing runs the agent now; none for other agents. */
  suspendedEnd(id: string): ReadonlyArray<NewEvent>
}

const MAX_COMMAND = 2000

export class BackgroundTasks implements BackgroundPort {
  readonly #core: SessionCore
  /** The running tasks, as they are stored. */
  #running: ReadonlyArray<BackgroundTask>
  readonly #runs = new Map<string, Run>()
  readonly #waiters = new Waiters()
  #agents: AgentExecutor | null = null
  readonly foreground = new ForegroundCalls()

  constructor(core: SessionCore) {
    this.#core = core
    this.#running = core.meta.get("background") ?? []
  }

  readonly enter: BackgroundPort["enter"] = (toolUseId, call) => this.foreground.enter(toolUseId, call)

  readonly running = (): ReadonlyArray<BackgroundTask> => this.#running

  /** True while subagents run: as the official SDK, the session is not idle then. */
  get hasAgents(): boolean {
    return this.#running.some(({ agent }) => agent !== undefined)
  }

  readonly ended = (id: string): EndedTask | undefined => {
    const { memory } = this.#core
    const end = memory.endedTask(id)
    return end === undefined ? undefined : { ...end, isAgent: memory.subagents.hasEnded(id) }
  }

  readonly begin: BackgroundPort["begin"] = (given, work) => {
    if (this.#running.filter(({ agent }) => agent === undefined).length >= MAX_BACKGROUND_TASKS) return null
    const id = this.#core.capture?.idOf(given.toolUseId) ?? this.#core.context.newUuid()
    const task_id = given.shown?.id ?? `b${id.slice(-8)}`
    const task: BackgroundTask = {
      task_id,
      run_id: given.shown?.runId ?? this.#core.context.newUuid(),
      tool_use_id: given.toolUseId,
      description: Facts.taskDescription(given.description),
      command: shortened(given.command, MAX_COMMAND),
      output_file: `${this.#folder}/${task_id}.output`,
      started_at: this.#core.context.now(),
      ...(given.parent === undefined ? {} : { parent_task_id: given.parent }),
    }
    return {
      task,
      facts: Facts.startedFacts(this.stamp, task, [...this.#listedWithout(task_id), task], given.shown !== undefined),
      commit: () => {
        this.#runs.set(task_id, { work: (signal) => work(task, signal), abort: new AbortController(), begun: false })
        this.#store([...this.#running, task])
      },
    }
  }

  readonly beginAgent: BackgroundPort["beginAgent"] = (given) => {
    const task = this.#agentTask(given)
    return {
      facts: [runningTasksMessage(this.stamp(), [...this.#listedWithout(task.task_id), task])],
      commit: () => this.#store([...this.#without(task.task_id), task]),
    }
  }

  readonly endAgent: BackgroundPort["endAgent"] = (id, end) => {
    const task = this.#running.find(({ task_id }) => task_id === id)
    const listed = this.#listedWithout(id)
    if (task === undefined) return Facts.parentEnded(this.stamp, id, this.#running, listed)
    const { events, queue } = this.#core.prompts.notice(Facts.reportText(task, end), Facts.originOf(task))
    return {
      facts: [runningTasksMessage(this.stamp(), listed), ...events],
      commit: (written) => {
        saveReport(this.#core.workspace, task.output_file, end.report)
        queue(written)
        this.#store(this.#without(id))
        queueMicrotask(() => {
          this.#core.wake()
          this.#core.maintenance.flush()
        })
      },
    }
  }

  /** Sets what executes the subagents that are stored as running. Call it once, when the session is opened. */
  runAgentsWith(agents: AgentExecutor): void {
    this.#agents = agents
  }

  /** Ends the subagents that run in the session of which this one is a copy. */
  endCopied(): void {
    this.#agents?.endCopied()
  }

  /** Continues the subagents that are not executed and wait for no answer. */
  resumeAgents(): void {
    if (this.#core.isClosed) return
    for (const task of this.#running) {
      if (task.agent === undefined) continue
      try {
        if (this.#agents?.ensureRunning(task) === true) this.#guard()
      } catch (error) {
        // The next alarm tries again.
        logLine("error", "a subagent in the background could not continue", { session: this.#core.id, error })
      }
    }
  }

  readonly stop: BackgroundPort["stop"] = (id) => this.#stopBy(id, "by this conversation")

  /** As the official SDK: a notification for the model follows if it is an agent. */
  #stopBy(id: string, cause: string): BackgroundChange | undefined {
    const task = this.#running.find(({ task_id }) => task_id === id)
    const stopped = this.#stop(id)
    if (task?.agent === undefined || stopped === undefined) return stopped
    const { events, queue } = this.#core.prompts.notice(Facts.stoppedText(task, cause), Facts.originOf(task))
    return {
      facts: [...stopped.facts, ...events],
      commit: (written) => {
        stopped.commit(written)
        queue(written)
        queueMicrotask(() => this.#core.wake())
      },
    }
  }

  #stop(id: string): BackgroundChange | undefined {
    const task = this.#running.find(({ task_id }) => task_id === id)
    if (task === undefined) return undefined
    if (task.agent !== undefined) {
      const listed = [runningTasksMessage(this.stamp(), this.#listedWithout(id))]
      const stopped = this.#agents?.stopChange(task, listed)
      return {
        facts: [...(stopped?.facts ?? listed), ...(this.#isLast(id) ? this.#core.stateEvents(null, "idle") : [])],
        commit: (written) => {
          this.#store(this.#without(id))
          // Last: it continues what waits for the run's asks, which must find the run removed.
          stopped?.commit(written)
        },
      }
    }
    return {
      facts: Facts.endedFacts(this.stamp, task, { kind: "stopped" }, this.#listedWithout(id)),
      commit: () => this.#store(this.#without(id)),
    }
  }

  /** Stops a task for a client; false if it does not run in the background. */
  stopForClient(id: string): boolean {
    const stopped = this.#stopBy(id, "by a client")
    if (stopped === undefined) return false
    this.#core.append(stopped.facts, stopped.commit)
    return true
  }

  /** The events that stop an agent whose call waits for it, when nothing runs the agent now; none for other agents. */
  readonly suspendedEnd = (id: string): ReadonlyArray<NewEvent> => this.#agents?.suspendedEnd(id) ?? []

  /** Stops the subagents, or commands too, and writes their ends. */
  stopRunning(kinds: "agents" | "all"): void {
    for (const { task_id: id, agent } of this.#running) {
      const stopped = kinds === "all" || agent !== undefined ? this.#stop(id) : undefined
      if (stopped !== undefined) this.#core.append(stopped.facts, stopped.commit)
    }
  }

  /** True when nothing of the session runs but this agent. */
  #isLast(id: string): boolean {
    return this.#core.inbox.head() === undefined && !this.#without(id).some(({ agent }) => agent !== undefined)
  }

  readonly wait: BackgroundPort["wait"] = (id, ms, signal) =>
    this.#waiters.wait(() => !this.#running.some(({ task_id }) => task_id === id), ms, signal)

  /** The tail of a task's output, which is empty until the task has ended. Undefined for a task that the session never had. */
  tailOf(id: string, workspace: Workspace): TaskTail | undefined {
    const file = this.#running.find(({ task_id }) => task_id === id)?.output_file ?? this.ended(id)?.outputFile
    return file === undefined ? undefined : tailOf(workspace, file)
  }

  /** Writes the end of stored commands that do not run in this process: theirs has died. Continues the subagents. */
  recover(): void {
    if (this.#core.isClosed) return
    for (const task of this.#running)
      if (task.agent === undefined && !this.#runs.has(task.task_id)) this.#tryToEnd(task, { kind: "lost" })
    this.resumeAgents()
  }

  /** Reads the running tasks again, after a transaction was rolled back. */
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

  /** Arms the alarm that continues what runs if this process dies. */
  #guard(): void {
    const { alarm, now } = this.#core.context
    alarm.guard(now() + CHECK_INTERVAL_MS)
  }

  #without(id: string): ReadonlyArray<BackgroundTask> {
    return this.#running.filter(({ task_id }) => task_id !== id)
  }

  /**
   * The running tasks as clients see them, without one. An agent that is in the log and whose call has no result yet counts
   * too, so that two agents that start at once list each other.
   */
  #listedWithout(id: string): ReadonlyArray<BackgroundTask> {
    const { subagents } = this.#core.memory
    const beginning = beginningTasks(subagents, this.#running).map((task) => this.#agentTask(task))
    return Facts.listedTasks([...this.#running, ...beginning], id, subagents)
  }

  #agentTask(given: Parameters<BackgroundPort["beginAgent"]>[0]): BackgroundTask {
    return Facts.agentTask(given, this.#folder, this.#core.context.now())
  }

  /** The stamp of a message about a task. It belongs to no turn. */
  readonly stamp = (): Stamp => {
    const { newUuid, now } = this.#core.context
    return { sessionId: this.#core.id, turn: null, uuid: newUuid(), at: now() }
  }

  /** Call it inside a transaction. Commands are started and aborted after it was committed or rolled back. */
  #store(running: ReadonlyArray<BackgroundTask>): void {
    if (running.length === 0) this.#core.meta.delete("background")
    else this.#core.meta.set("background", running)
    this.#running = running
    queueMicrotask(() => this.#settle())
  }

  /** Starts commands that are stored and have not started, and aborts those that are no longer stored. */
  #settle(): void {
    for (const [id, run] of this.#runs) {
      const task = this.#running.find(({ task_id }) => task_id === id)
      if (task === undefined) {
        this.#runs.delete(id)
        run.abort.abort()
      } else if (!run.begun) {
        run.begun = true
        this.#core.context.keepAlive(this.#run(task, run))
        this.#guard()
      }
    }
    this.#agents?.keepOnly(this.#running.map(({ run_id }) => run_id))
    this.resumeAgents()
    this.#waiters.check()
    this.#core.announceIdle()
  }

  async #run(task: BackgroundTask, { work, abort }: Run): Promise<void> {
    const end = await work(abort.signal).catch((error: unknown) => {
      logLine("error", "a background command failed", { session: this.#core.id, error })
      return null
    })
    // It was stopped, or the session is gone: its outcome no longer counts.
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

  /** Writes the end of a task, its changes, and the prompt for the model in one transaction. */
  #end(task: BackgroundTask, end: Facts.TaskEnd, commit: () => void = () => undefined): void {
    const rest = this.#without(task.task_id)
    const { events, queue } = this.#core.prompts.notice(Facts.notificationText(task, end), Facts.originOf(task))
    const listed = this.#listedWithout(task.task_id)
    this.#core.append([...Facts.endedFacts(this.stamp, task, end, listed), ...events], (written) => {
      commit()
      queue(written)
      this.#store(rest)
    })
    this.#core.wake()
    this.#core.maintenance.flush()
  }
}
