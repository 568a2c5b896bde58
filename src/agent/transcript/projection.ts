// Receives every event of the log once, in order; keeps the state of the session that a turn needs.
// Invariant: the state is a pure fold, so that it may be dropped at any time and folded again from the log.
import type { PayloadOf, TaskChanged, TaskItem } from "../../schemas/log/event-payloads.ts"
import { EventNames, type LogEvent } from "../../schemas/log/events.ts"
import type { EndedTask } from "../../tools/bash/background-port.ts"
import type { KnownFiles } from "../../tools/known-files.ts"
import type { Todo } from "../../tools/context-parts.ts"
import type { Accounting } from "./accounting.ts"
import { Conversation, type SavedConversation, type TurnMemory } from "./conversation.ts"
import { importedTasks } from "./imported-tasks.ts"
import type { PlanMemory } from "./plan-memory.ts"
import type { ProjectMemory } from "./project-memory.ts"
import { type AgentSource, isAgentEvent, NO_SOURCE, type SavedSubagents, Subagents } from "./subagents.ts"
import { blocksOf, type Content } from "../../schemas/sdk/messages/blocks.ts"
import type { Transcript } from "./transcript.ts"

/** How many ends of background tasks are kept. */
const MAX_ENDED = 100

/** The memory in the form in which it is stored between two turns. */
export interface SavedMemory {
  readonly own: SavedConversation
  readonly subagents: SavedSubagents
  readonly tasks: ReadonlyArray<TaskItem>
  readonly lastTask: number
  readonly ended: ReadonlyArray<readonly [string, EndedTask]>
  /** Absent in the form of earlier versions. */
  readonly described?: ReadonlyArray<readonly [string, string]>
}

export class SessionMemory implements TurnMemory {
  readonly #own: Conversation
  readonly subagents: Subagents
  /** The tasks by id, in the order of creation. */
  readonly #tasks = new Map<string, TaskItem>()
  lastTask = 0
  /** Background tasks that have ended, the latest last. */
  readonly #ended = new Map<string, EndedTask>()
  /** The descriptions of the tasks that have started and not ended. */
  readonly #described = new Map<string, string>()
  /** The turn that was imported from another session, whose files are not here. */
  #imported: string | null = null

  /** `source` returns the earlier events of a subagent that is resumed after its end. */
  constructor(
    cwd: string,
    source: AgentSource = NO_SOURCE,
    saved?: { readonly memory: SavedMemory; readonly pages: ReadonlyArray<Uint8Array> },
  ) {
    this.#own = new Conversation(cwd, saved?.memory.own, saved?.pages)
    this.subagents = new Subagents(cwd, this, source)
    if (saved === undefined) return
    const { subagents, tasks, lastTask, ended, described = [] } = saved.memory
    this.subagents.take(subagents)
    for (const task of tasks) this.#tasks.set(task.id, task)
    for (const [id, end] of ended) this.#ended.set(id, end)
    for (const [id, description] of described) this.#described.set(id, description)
    this.lastTask = lastTask
  }

  /** The state to store, apart from the pages of the transcript's held messages; null while a turn or an agent runs. */
  save(): SavedMemory | null {
    const own = this.#own.save()
    const subagents = this.subagents.save()
    if (own === null || subagents === null) return null
    const { tasks, lastTask } = this
    return { own, subagents, tasks, lastTask, ended: [...this.#ended], described: [...this.#described] }
  }

  get transcript(): Transcript {
    return this.#own.transcript
  }

  get accounting(): Accounting {
    return this.#own.accounting
  }

  get knownFiles(): KnownFiles {
    return this.#own.knownFiles
  }

  get project(): ProjectMemory {
    return this.#own.project
  }

  get plan(): PlanMemory {
    return this.#own.plan
  }

  get todos(): ReadonlyArray<Todo> {
    return this.#own.todos
  }

  set todos(todos: ReadonlyArray<Todo>) {
    this.#own.todos = todos
  }

  get cwd(): string {
    return this.#own.cwd
  }

  /** About how many bytes of memory the conversations take. */
  get size(): number {
    return this.transcript.size + this.subagents.size
  }

  /** `onPath` is false for an event that is no longer part of the conversation: its cost counts, but no request contains it. */
  apply(event: LogEvent, bytes: number, onPath = true): void {
    if (event.name === "sdk:system/task_started") this.#described.set(event.payload.task_id, event.payload.description)
    if (event.name === "sdk:system/task_notification") this.#endTask(event.payload)
    if (onPath && event.name === EventNames.taskChanged) this.#changeTasks(event.payload)
    if (onPath && event.name === EventNames.conversationRestarted && event.payload.cause === "clear")
      this.#forgetTasks()
    if (isAgentEvent(event)) this.subagents.note(event, onPath)
    if (event.parent_tool_use_id !== null) return this.#inner(event, bytes, onPath)
    if (event.name === EventNames.turnQueued && event.payload.imported === true) this.#imported = event.turn
    const foreign = event.name === "sdk:user" && event.turn === this.#imported
    this.#own.apply(event, bytes, { onPath, foreign })
    if (onPath && foreign) this.#importTasks(event.payload.tool_use_result, event.payload.message?.content)
  }

  /** An event inside a call: its cost is the session's, everything else belongs to a subagent. */
  #inner(event: LogEvent, bytes: number, onPath: boolean): void {
    this.accounting.apply(event)
    const denials = this.subagents.apply(event, bytes)
    if (onPath) this.accounting.addDenials(event.turn, denials)
  }

  /** How a background task ended; undefined while it runs, and when it is unknown. */
  endedTask(id: string): EndedTask | undefined {
    return this.#ended.get(id)
  }

  #endTask({ task_id: id, status, summary, output_file: outputFile }: PayloadOf<"sdk:system/task_notification">): void {
    this.#ended.set(id, { status, description: this.#described.get(id) ?? summary, summary, outputFile })
    this.#described.delete(id)
    const [oldest] = this.#ended.keys()
    if (this.#ended.size > MAX_ENDED && oldest !== undefined) this.#ended.delete(oldest)
  }

  get tasks(): ReadonlyArray<TaskItem> {
    return [...this.#tasks.values()]
  }

  #changeTasks({ tasks, deleted = [] }: TaskChanged): void {
    for (const task of tasks) this.#tasks.set(task.id, task)
    for (const id of deleted) this.#tasks.delete(id)
    for (const id of [...tasks.map((task) => task.id), ...deleted]) this.lastTask = Math.max(this.lastTask, Number(id))
  }

  /** As in the official SDK: a cleared conversation begins with an empty list, whose numbers start again. */
  #forgetTasks(): void {
    this.#tasks.clear()
    this.lastTask = 0
  }

  /** Takes another session's tasks from the calls of its task tools, their only trace in the conversation. */
  #importTasks(result: unknown, content: unknown): void {
    if (typeof result !== "object" || result === null) return
    // A user message's content is a text or blocks.
    const blocks = blocksOf((content ?? []) as Content)
    const [block, ...others] = blocks.filter(({ type }) => type === "tool_result")
    // A structured result belongs to the one call of its message.
    if (block === undefined || others.length > 0) return
    const use = this.transcript.toolUse(String(block["tool_use_id"]))
    const change = use === undefined ? null : importedTasks(use, result, this.tasks)
    if (change !== null) this.#changeTasks(change)
  }
}
