// Receives the events of one conversation in order, the session's own or a subagent's; keeps the state that its turn needs.
// Invariant: the state is a pure fold over those events.
import type { HookFired, TaskItem } from "../../schemas/log/event-payloads.ts"
import { EventNames, type LogEvent } from "../../schemas/log/events.ts"
import { KnownFiles, type SavedFiles } from "../../tools/known-files.ts"
import type { Todo } from "../../tools/context-parts.ts"
import { Accounting } from "./accounting.ts"
import type { SavedAccounting } from "./saved-accounting.ts"
import { type KnownPlanMode, PlanMemory } from "./plan-memory.ts"
import { ProjectMemory, type SavedProject } from "./project-memory.ts"
import { isBlank } from "./sent-messages.ts"
import type { SavedTranscript } from "./saved-transcript.ts"
import { type ToolUse, Transcript } from "./transcript.ts"
import { resolvedInput } from "../../tools/files/resolved-path.ts"

/** The state that a turn has of its conversation, and of its session. */
export interface TurnMemory {
  readonly transcript: Transcript
  readonly accounting: Accounting
  readonly knownFiles: KnownFiles
  todos: ReadonlyArray<Todo>
  /** The session's task list, in the order of creation. */
  readonly tasks: ReadonlyArray<TaskItem>
  /** The number of the task that was created last. */
  readonly lastTask: number
  /** The conversation's current directory. */
  readonly cwd: string
  /** What the model has received from the project's files. */
  readonly project: ProjectMemory
  /** What the model was last sent about plan mode. */
  readonly plan: PlanMemory
}

/** The conversation in the form in which it is stored between two turns. State that is not in here is lost at the next start. */
export interface SavedConversation {
  readonly transcript: SavedTranscript
  readonly accounting: SavedAccounting
  readonly knownFiles: SavedFiles
  readonly project: SavedProject
  readonly plan?: KnownPlanMode | null
  readonly todos: ReadonlyArray<Todo>
  readonly cwd: string
}

export class Conversation {
  readonly transcript: Transcript
  readonly accounting = new Accounting((id) => this.#resolvedUse(id))
  readonly knownFiles: KnownFiles
  readonly project = new ProjectMemory()
  readonly plan = new PlanMemory()
  todos: ReadonlyArray<Todo> = []
  cwd: string
  readonly #root: string
  /** The call whose output a hook has just replaced, and that output. */
  #altered: { readonly id: unknown; readonly output: unknown } | null = null
  /** The original of a message whose displayed version follows in the log; null otherwise. */
  #withheld: Readonly<Record<string, unknown>> | null = null
  #shown = ""

  /** `saved` is a result of `save`, with the pages of the transcript's held messages. */
  constructor(cwd: string, saved?: SavedConversation, pages: ReadonlyArray<Uint8Array> = []) {
    this.cwd = saved?.cwd ?? cwd
    this.#root = cwd
    this.transcript = saved === undefined ? new Transcript() : Transcript.of(saved.transcript, pages)
    this.knownFiles = new KnownFiles(saved?.knownFiles)
    if (saved === undefined) return
    this.accounting.take(saved.accounting)
    this.project.take(saved.project)
    this.plan.known = saved.plan ?? null
    this.todos = saved.todos
  }

  /** A call with the path that hooks and users get. */
  #resolvedUse(id: string): ToolUse | undefined {
    const use = this.transcript.toolUse(id)
    return use && { ...use, input: resolvedInput(use.name, use.input, { cwd: this.cwd, root: this.#root }) }
  }

  /** Null while a turn runs. */
  save(): SavedConversation | null {
    const transcript = this.transcript.save()
    const accounting = this.accounting.save()
    // `#altered` needs no saving: it is of a call that has no result yet, and then the transcript is null.
    if (transcript === null || accounting === null) return null
    const { cwd, todos, knownFiles, project, plan } = this
    return {
      transcript,
      accounting,
      knownFiles: knownFiles.save(),
      project: project.save(),
      plan: plan.known,
      todos,
      cwd,
    }
  }

  /**
   * `onPath` is false for an event that is no longer part of the conversation: its cost counts, but no request contains it.
   * `foreign` is true for an event about another session's files.
   */
  apply(given: LogEvent, bytes: number, { onPath = true, foreign = false } = {}): void {
    const written = this.#asWritten(given)
    const event = written ?? given
    if (onPath) this.transcript.apply(event, bytes)
    this.accounting.apply(event)
    if (written !== null) this.accounting.showed(written, this.#shown)
    if (event.name === EventNames.hookFired) this.#noteReplacedOutput(event.payload)
    if (!onPath) return
    if (event.name === EventNames.cwdChanged) this.cwd = event.payload.cwd
    this.project.apply(event)
    this.plan.apply(event)
    if (event.name === EventNames.conversationRestarted && event.payload.cause === "clear") {
      this.knownFiles.clear()
      this.todos = []
    }
    if (event.name === EventNames.conversationRestarted && event.payload.cause !== "media")
      this.knownFiles.nothingShown()
    const shows = event.name === EventNames.filesMentioned || event.name === EventNames.conversationReminded
    if (shows && !foreign) for (const { output } of event.payload.files) this.knownFiles.learn(output, this.cwd)
    if (event.name === EventNames.toolCalled && event.payload.tool_name === "TodoWrite")
      this.#listed(event.payload.output)
    if (event.name === "sdk:user") this.#result(event, foreign)
  }

  /** The original of a message whose text a hook replaced: it is folded when the displayed message follows. */
  #asWritten(event: LogEvent): LogEvent<"sdk:assistant"> | null {
    if (event.name === EventNames.messageWithheld && event.payload.shown !== undefined) {
      this.#withheld = event.payload.message
      this.#shown = event.payload.shown
      if (!isBlank({ type: "text", text: this.#shown })) return null
    } else if (event.name !== "sdk:assistant" || this.#withheld?.["uuid"] !== event.uuid) return null
    const payload = this.#withheld
    this.#withheld = null
    // Can't fail: the loop logged this payload as an assistant message before it was withheld.
    return { ...event, name: "sdk:assistant", payload } as unknown as LogEvent<"sdk:assistant">
  }

  #noteReplacedOutput({ hook_event_name: name, input, outcome }: HookFired): void {
    // Most events have no hooks, and then the outcome is empty.
    if (name === "PostToolUse" && (outcome["updatedOutput"] ?? null) !== null)
      this.#altered = { id: input["tool_use_id"], output: input["tool_response"] }
  }

  #result({ payload, turn }: LogEvent<"sdk:user">, foreign: boolean): void {
    const { tool_use_result: result, message } = payload
    if (typeof result !== "object" || result === null) return
    const [block] = Array.isArray(message?.content) ? message.content : []
    // The output of the tool itself names the file: a hook may have replaced the path, too.
    const altered = this.#altered !== null && block?.tool_use_id === this.#altered.id
    if (!foreign) this.knownFiles.learn(altered ? this.#altered?.output : result, this.cwd, altered)
    this.#listed(result)
    if (foreign) return
    const tool = this.transcript.toolUse(String(block?.tool_use_id))?.name
    if (tool === "Skill" && "commandName" in result)
      this.project.usedSkill(result, turn, this.transcript.toolUse(String(block?.tool_use_id))?.input)
    if (tool === "ExitPlanMode") this.plan.accepted()
  }

  /** Takes the todo list from a tool's output. A client's call through `/mcp` writes the same list as a call of the model. */
  #listed(output: unknown): void {
    if (typeof output !== "object" || output === null || !("newTodos" in output)) return
    // TodoWrite's own output, which has the tool's schema.
    if (Array.isArray(output.newTodos)) this.todos = output.newTodos as ReadonlyArray<Todo>
  }
}
