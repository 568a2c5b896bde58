// Receives every event of the log once, in order; keeps what a turn needs to know of the session.
// Invariant: it is a pure fold, so it may be dropped at any time and read again from the log.
import type { HookFired, PayloadOf, TaskChanged, TaskItem, ToolCalled } from "../../schemas/log/event-payloads.ts"
import { EventNames, type LogEvent } from "../../schemas/log/events.ts"
import type { EndedTask } from "../../tools/bash/background-port.ts"
import { KnownFiles } from "../../tools/known-files.ts"
import type { Todo } from "../../tools/tool.ts"
import { Accounting } from "./accounting.ts"
import { importedTasks } from "./imported-tasks.ts"
import { ProjectMemory } from "./project-memory.ts"
import { type Block, blocksOf, Transcript } from "./transcript.ts"

/** Ends of background tasks that are remembered. */
const MAX_ENDED = 100

export class SessionMemory {
  readonly transcript = new Transcript()
  readonly accounting = new Accounting((id) => this.transcript.toolUse(id))
  readonly knownFiles = new KnownFiles()
  readonly project = new ProjectMemory()
  todos: ReadonlyArray<Todo> = []
  /** In the order in which they were made. */
  readonly #tasks = new Map<string, TaskItem>()
  /** The number of the last task that was made. */
  lastTask = 0
  /** Background tasks that ended, the newest last. */
  readonly #ended = new Map<string, EndedTask>()
  /** The directory of the conversation now. */
  cwd: string
  /** The turn that was another session's, whose files are not here. */
  #imported: string | null = null
  /** The call whose output a hook has just replaced. */
  #altered: unknown = null

  constructor(cwd: string) {
    this.cwd = cwd
  }

  /** `onPath` is false for what is no longer part of the conversation: it is paid, and no request has it. */
  apply(event: LogEvent, bytes: number, onPath = true): void {
    if (onPath) this.transcript.apply(event, bytes)
    this.accounting.apply(event)
    if (event.name === EventNames.turnQueued && event.payload.imported === true) this.#imported = event.turn
    if (event.name === "sdk:system/task_notification") this.#endTask(event.payload)
    if (onPath && event.name === EventNames.taskChanged) this.#changeTasks(event.payload)
    if (onPath && event.name === EventNames.cwdChanged) this.cwd = event.payload.cwd
    if (onPath && event.name === EventNames.instructionsLoaded) this.project.load(event.payload)
    if (event.name === EventNames.hookFired) this.#noteReplacedOutput(event.payload)
    if (onPath && event.name === EventNames.toolCalled) this.#called(event.payload)
    if (onPath && event.name === "sdk:user") this.#result(event.payload, event.turn === this.#imported)
  }

  /** How a background task ended. */
  endedTask(id: string): EndedTask | undefined {
    return this.#ended.get(id)
  }

  #endTask({ task_id: id, status, summary, output_file: outputFile }: PayloadOf<"sdk:system/task_notification">): void {
    this.#ended.set(id, { status, summary, outputFile })
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

  #noteReplacedOutput({ hook_event_name: name, input, outcome }: HookFired): void {
    // Most events have no hooks, and then the outcome is empty.
    if (name === "PostToolUse" && (outcome["updatedOutput"] ?? null) !== null) this.#altered = input["tool_use_id"]
  }

  /** Another session's task list is known from its calls alone. */
  #importTasks(result: unknown, content: unknown): void {
    // A user message's content is a text or blocks.
    const blocks = blocksOf((content ?? []) as string | ReadonlyArray<Block>)
    const [block, ...others] = blocks.filter(({ type }) => type === "tool_result")
    // A structured result belongs to the one call of its message.
    if (block === undefined || others.length > 0) return
    const use = this.transcript.toolUse(String(block["tool_use_id"]))
    const change = use === undefined ? null : importedTasks(use, result, this.tasks)
    if (change !== null) this.#changeTasks(change)
  }

  #result({ tool_use_result: result, message }: PayloadOf<"sdk:user">, imported: boolean): void {
    if (typeof result !== "object" || result === null) return
    const [block] = Array.isArray(message?.content) ? message.content : []
    if (imported) this.#importTasks(result, message?.content)
    else this.knownFiles.learn(result, this.cwd, block?.tool_use_id === this.#altered)
    this.#listed(result)
  }

  /** A client of `/mcp` writes the same list. */
  #called({ tool_name: name, output }: ToolCalled): void {
    if (name === "TodoWrite") this.#listed(output)
  }

  #listed(output: unknown): void {
    if (typeof output !== "object" || output === null || !("newTodos" in output)) return
    // TodoWrite's own output, which its schema made.
    if (Array.isArray(output.newTodos)) this.todos = output.newTodos as ReadonlyArray<Todo>
  }
}
