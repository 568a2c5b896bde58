// Receives the log's events in order; keeps the conversation in the form that the Messages API accepts.
// Invariant: assistant blocks are kept byte for byte, in the order of their message; results follow in completion order.
import { type Block, blocksOf, type Content } from "../../schemas/sdk/messages/blocks.ts"
import type { ConversationRestarted } from "../../schemas/log/conversation-events.ts"
import type { CallFinished, HookFired, ToolSkipped, TurnJoined, TurnQueued } from "../../schemas/log/event-payloads.ts"
import type { CommandExpanded, CommandInvoked } from "../../schemas/log/command-events.ts"
import { EventNames, type LogEvent } from "../../schemas/log/events.ts"
import type { HeldMessages } from "../../model/conversation-cache/held-messages.ts"
import { loggedHookOutcome } from "../calls/logged-hook-outcome.ts"
import { ProjectTexts } from "../project/project-texts.ts"
import { answeredCommand, BLANK_TEXT, CUT_OFF, joinedPrompt, shownBlocks } from "../messages/prompt-text.ts"
import { ConversationMessages } from "./conversation-messages.ts"
import { ExchangeUuids } from "./exchange-uuids.ts"
import { hookReminders, newMessage, NOTHING_ASKED, notice, reminder } from "./reminders.ts"
import type { QueuedPrompt, SavedTranscript } from "./saved-transcript.ts"
import { isPromptEvent, stoppedPrompt } from "./stopped-prompt.ts"
import { type ApiMessage, type Entry, isBlank } from "./sent-messages.ts"
import { type ToolUse, ToolUses } from "./tool-uses.ts"
import { SYNTHETIC_MODEL } from "../../schemas/sdk/messages/synthetic-model.ts"

export type { ApiMessage, ToolUse }

/** An answer whose end is not in the log. */
export interface Fragment {
  readonly id: string
  readonly head: Readonly<Record<string, unknown>>
  readonly content: ReadonlyArray<Block>
}

/** The fields of SDK messages from which the conversation is made. */
interface MessagePayload {
  readonly isReplay?: boolean
  readonly aborted?: boolean
  readonly is_api_error_message?: boolean
  readonly retracted_message_uuids?: ReadonlyArray<string>
  readonly message: { readonly id?: string; readonly model?: string; readonly content: Content }
}

export class Transcript {
  #messages = new ConversationMessages()
  readonly #prompts = new Map<string, QueuedPrompt>()
  #uses = new ToolUses()
  /** Unfinished answers by id: blocks may still be added to them. */
  readonly #growing = new Map<string | undefined, Entry>()
  #project = new ProjectTexts()
  /** The turn whose command runs as a subagent: its prompt belongs to the agent's conversation. */
  #forked: string | null = null
  #uuids = new ExchangeUuids()

  static of(saved: SavedTranscript, pages: ReadonlyArray<Uint8Array>): Transcript {
    const made = new Transcript()
    made.#messages = ConversationMessages.of(saved.messages, pages)
    for (const [turn, prompt] of saved.prompts) made.#prompts.set(turn, prompt)
    made.#uses = new ToolUses(saved.uses)
    made.#project = new ProjectTexts(saved.project)
    made.#forked = saved.forked
    made.#uuids = ExchangeUuids.of(saved)
    return made
  }

  /** Null while an answer is unfinished or a call has no result, since later events may change earlier messages. */
  save(): SavedTranscript | null {
    if (this.#growing.size > 0 || this.#uses.open.length > 0) return null
    return {
      messages: this.#messages.save(),
      prompts: [...this.#prompts],
      uses: this.#uses.all,
      project: this.#project.read,
      forked: this.#forked,
      ...this.#uuids.save(),
    }
  }

  /** The messages that are held as JSON. */
  get held(): HeldMessages {
    return this.#messages.held
  }

  /** About how many bytes of memory the conversation takes. */
  get size(): number {
    return this.held.size + this.#messages.looseBytes
  }

  apply(event: LogEvent, bytes: number): void {
    switch (event.name) {
      case EventNames.turnQueued:
        this.#queued(event.turn, event.payload)
        break
      case "sdk:system/init":
        this.#begin(event.turn)
        break
      case "sdk:assistant":
        this.#assistant(event.payload, event.uuid)
        break
      case "sdk:user":
        this.#user(event.payload, event.uuid)
        break
      case EventNames.callFinished:
        this.#finish(event.payload)
        break
      case EventNames.hookFired:
        this.#hook(event.turn, event.payload)
        break
      case EventNames.commandInvoked:
        this.#invoke(event.turn, event.payload)
        break
      case EventNames.commandExpanded:
        this.#expand(event.turn, event.payload)
        break
      case EventNames.commandAnswered:
        this.#messages.add(answeredCommand(event.payload))
        break
      case EventNames.turnJoined:
        this.#join(event.turn, event.payload)
        break
      case EventNames.turnCancelled:
        this.#prompts.delete(event.turn ?? "")
        break
      case EventNames.toolSkipped:
        this.#skip(event.payload)
        break
      case EventNames.sessionChanged:
        if (event.payload.reopened === true) this.#reopen()
        break
      case EventNames.sessionForked:
        this.#reopen()
        break
      case EventNames.filesMentioned:
      case EventNames.promptMentioned:
      case EventNames.conversationReminded:
        this.#messages.add(shownBlocks(event))
        break
      case EventNames.instructionsLoaded:
      case EventNames.skillsListed:
        this.#messages.add([reminder(this.#project.next(event))])
        break
      case EventNames.planReminded:
        this.#messages.remind(reminder(event.payload.text))
        break
      case "sdk:system/compact_boundary":
        this.#uuids.begin()
        return
      case EventNames.conversationRestarted:
        this.#restart(event.payload)
        break
      case EventNames.headMoved:
        // Blocks after this event belong to another answer.
        for (const entry of this.#growing.values()) entry.complete = true
        this.#growing.clear()
        break
      default:
        return
    }
    this.#messages.noteBytes(bytes)
  }

  /** Queues a prompt. An imported turn starts at once; one that had no prompt adds none, unless the conversation is empty. */
  #queued(turn: string | null, { prompt, imported, origin }: TurnQueued): void {
    if (turn === null || (imported === true && prompt.length === 0 && !this.#messages.isEmpty)) return
    this.#prompts.set(turn, { prompt, ...(origin === undefined ? {} : { origin }) })
    if (imported === true) this.#begin(turn)
  }

  /** Adds the prompt to the conversation when its turn starts, not when it was queued. */
  #begin(turn: string | null): void {
    const queued = turn === null ? undefined : this.#prompts.get(turn)
    if (turn === null || queued === undefined) return
    this.#prompts.delete(turn)
    this.#uuids.add(turn)
    const { prompt, origin, stopped } = queued
    this.#messages.beginPrompt()
    if (origin !== undefined) return this.#messages.add([notice(prompt)])
    const blocks = blocksOf(prompt)
    this.#messages.add(blocks.every(isBlank) ? [reminder("The user sent an empty message.")] : blocks)
    if (stopped !== undefined) this.#messages.add([{ type: "text", text: stopped }])
  }

  /** Replaces a prompt by the expansion of its command; a command that is answered at once leaves nothing. */
  #invoke(turn: string | null, { prompt, fork }: CommandInvoked): void {
    if (turn === null) return
    if (fork !== undefined) this.#forked = turn
    if (prompt === undefined || fork !== undefined) this.#prompts.delete(turn)
    else this.#prompts.set(turn, { prompt })
  }

  /** Adds the prompt of a command whose scripts had to run first. */
  #expand(turn: string | null, { prompt }: CommandExpanded): void {
    if (turn === null || turn === this.#forked) return
    this.#prompts.set(turn, { prompt })
    this.#begin(turn)
  }

  #assistant(payload: MessagePayload, uuid: string): void {
    const { id, model, content } = payload.message
    if (payload.is_api_error_message === true) this.#messages.report()
    if (model === SYNTHETIC_MODEL) return
    // Answers that follow each other are sent as one message.
    if (!this.#growing.has(id) && this.#messages.last()?.role !== "assistant") this.#uuids.begin()
    this.#uuids.add(uuid)
    // A finished answer never gets more blocks, even if the API reuses its id.
    const entry = this.#growing.get(id) ?? this.#answer(payload)
    for (const block of blocksOf(content)) {
      // As the official SDK: calls under the tool's old name are sent with its current name.
      entry.content.push(block.type === "tool_use" && block["name"] === "Task" ? { ...block, name: "Agent" } : block)
      this.#uses.take(block, id, true)
    }
  }

  /** Restarts the conversation with these messages; without a refused image, it is still the same. Waiting prompts stay queued. */
  #restart({ messages, cause }: ConversationRestarted): void {
    this.#messages = new ConversationMessages()
    this.#uses = new ToolUses()
    this.#growing.clear()
    if (cause !== "media") this.#project.restart()
    if (cause !== "media") this.#uuids.keep(messages.filter(({ role }) => role === "assistant").length)
    for (const { role, content, model } of messages) {
      this.#messages.push({ role, content: [...content], model, complete: true })
      for (const block of content) this.#uses.take(block, undefined, false)
    }
  }

  #answer({ message, aborted }: MessagePayload): Entry {
    const { id, model } = message
    const head = id === undefined ? {} : { id, head: message }
    const entry: Entry = { role: "assistant", content: [], ...head, model, complete: aborted === true }
    if (!entry.complete) this.#growing.set(id, entry)
    this.#messages.push(entry)
    this.#uses.forgetSettled()
    return entry
  }

  #user(payload: MessagePayload, uuid: string): void {
    if (payload.isReplay === true) return
    const last = this.#messages.last()
    // Only the answer right before this message is withdrawn.
    if (payload.retracted_message_uuids !== undefined && last?.role === "assistant") this.#withdraw(last)
    this.#uuids.add(uuid)
    const blocks = blocksOf(payload.message.content)
    for (const block of blocks) if (block.type === "tool_result") this.#uses.settle(String(block["tool_use_id"]))
    this.#messages.add(blocks)
  }

  /** Adds the hooks' reminders for the model, after the tool results or before the prompt to which they belong. */
  #hook(turn: string | null, fired: HookFired): void {
    const event = fired.hook_event_name
    const outcome = loggedHookOutcome(fired)
    if (isPromptEvent(event) && outcome.block !== null) {
      // A prompt that was refused never joins the conversation.
      this.#prompts.delete(turn ?? "")
      return
    }
    const queued = turn === null ? undefined : this.#prompts.get(turn)
    if (isPromptEvent(event) && outcome.stop !== null && turn !== null && queued !== undefined)
      this.#prompts.set(turn, stoppedPrompt(queued, event, outcome.stop.reason))
    const reminders = hookReminders(fired, outcome)
    if (reminders.length > 0) this.#messages.add(reminders)
  }

  /** True for a turn whose prompt is queued and not in the conversation yet. */
  awaits(turn: string): boolean {
    return this.#prompts.has(turn)
  }

  /** Adds a prompt that arrived while calls ran, or (`first`) one that was waiting when the turn started. */
  #join(turn: string | null, { turn: joining, prompt, origin, first }: TurnJoined): void {
    this.#prompts.delete(joining)
    if (first === true) {
      const own = turn === null ? undefined : this.#prompts.get(turn)
      if (turn !== null && own !== undefined) this.#prompts.set(turn, { prompt: joinedPrompt(own.prompt, prompt) })
      return
    }
    if (origin !== undefined) return this.#messages.add([notice(prompt)])
    this.#messages.add(newMessage(blocksOf(prompt)))
  }

  /** As the official SDK: when a session is resumed or forked, a turn that was cut off before, or ended blank, gets an answer. */
  #reopen(): void {
    const last = this.#messages.last()
    const block = last?.role === "user" ? last.content.at(-1) : undefined
    // An answer of thinking alone is not sent.
    const isBlankEnd = this.messages().at(-1)?.content.at(-1)?.["text"] === BLANK_TEXT
    if (!isBlankEnd && !CUT_OFF.has(block?.["text"] ?? block?.["content"])) return
    this.#messages.push({ role: "assistant", content: [{ type: "text", text: NOTHING_ASKED }], complete: true })
  }

  #skip({ tool_use_id: id, content }: ToolSkipped): void {
    this.#uses.settle(id)
    this.#messages.add([{ type: "tool_result", tool_use_id: id, content, is_error: true }])
  }

  /** Finishes an answer. A wasted one is removed from the conversation, since it was requested again. */
  #finish(call: Pick<CallFinished, "message_id" | "model" | "wasted">): void {
    const entry = this.#messages.withId(call.message_id)
    if (entry === undefined) return
    if (call.wasted) this.#withdraw(entry)
    else {
      entry.complete = true
      // The API may name the model in another way than the requests do.
      if (entry.model !== call.model) delete entry.sent
      entry.model = call.model
    }
    if (this.#growing.get(entry.id) === entry) this.#growing.delete(entry.id)
  }

  #withdraw(answer: Entry): void {
    this.#messages.remove(answer)
    this.#uuids.withdraw()
  }

  /** The messages of the next request. A message that was sent before, and has not changed, is the same object. */
  messages(): ReadonlyArray<ApiMessage> {
    return this.#messages.all()
  }

  /** How many blocks of the last message follow each report of a failed request in it. */
  get sinceReports(): ReadonlyArray<number> {
    return this.#messages.sinceReports
  }

  /** Uuids of the messages of the last `exchanges`, each of which starts with an answer; null if they are not all known. */
  lastUuids(exchanges: number): ReadonlyArray<string> | null {
    return this.#uuids.last(exchanges)
  }

  /** Ids of the last answer's calls and the open ones, in the order in which the model made them. */
  callOrder(): ReadonlyArray<string> {
    return this.#uses.all.map(({ id }) => id)
  }

  /** Calls that have no result yet, in the order in which the model made them. */
  openCalls(): ReadonlyArray<ToolUse> {
    return this.#uses.open
  }

  /** The last answer, if a crash cut it off. */
  fragment(): Fragment | undefined {
    const entry = this.#messages.lastAnswer()
    if (entry?.id === undefined || entry.complete) return undefined
    return { id: entry.id, head: entry.head ?? {}, content: entry.content }
  }

  toolUse(id: string): ToolUse | undefined {
    return this.#uses.find(id)
  }

  /** The last message, with its role. */
  last(): { readonly role: "user" | "assistant"; readonly content: ReadonlyArray<Block> } | undefined {
    return this.#messages.last()
  }
}
