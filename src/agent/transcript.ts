// Receives the log's events in order; keeps the conversation as the Messages API wants it.
// Invariant: assistant blocks are kept byte for byte, in the order of their message; results follow in completion order.
import { EventNames, type LogEvent, type TurnQueued } from "../schemas/events.ts"

export type Block = Readonly<Record<string, unknown>> & { readonly type: string }

export interface ApiMessage {
  readonly role: "user" | "assistant"
  readonly content: ReadonlyArray<Block>
}

export interface ToolUse {
  readonly id: string
  readonly name: string
  readonly input: unknown
  /** uuid of the assistant event that carried the block. */
  readonly messageId: string
}

/** An answer whose end is not in the log. */
export interface Fragment {
  readonly id: string
  readonly head: Readonly<Record<string, unknown>>
  readonly content: ReadonlyArray<Block>
}

interface Entry {
  readonly role: "user" | "assistant"
  readonly content: Array<Block>
  /** The API's message id and the message itself (assistant entries). */
  readonly id?: string
  readonly head?: Readonly<Record<string, unknown>>
  /** True once the model said how the message ended; until then it may be a fragment. */
  complete: boolean
}

const THINKING = new Set(["thinking", "redacted_thinking"])

/** The parts of SDK messages that the conversation is made of. */
interface MessagePayload {
  readonly isReplay?: boolean
  readonly error?: string
  readonly aborted?: boolean
  readonly message: { readonly id?: string; readonly model?: string; readonly content: string | ReadonlyArray<Block> }
}

const blocksOf = (content: string | ReadonlyArray<Block>): ReadonlyArray<Block> =>
  typeof content === "string" ? [{ type: "text", text: content }] : content

export class Transcript {
  readonly #entries: Array<Entry> = []
  readonly #prompts = new Map<string, TurnQueued["prompt"]>()
  readonly #uses = new Map<string, ToolUse>()
  readonly #open = new Map<string, ToolUse>()
  /** Characters of JSON held, for the memory limit. */
  size = 0

  apply(event: LogEvent, bytes: number): void {
    switch (event.name) {
      case EventNames.turnQueued:
        // The log wrote this payload: it has the shape of TurnQueued.
        if (event.turn !== null) this.#prompts.set(event.turn, (event.payload as TurnQueued).prompt)
        break
      case "sdk:system/init":
        this.#begin(event.turn)
        break
      case "sdk:assistant":
        this.#assistant(event.payload as MessagePayload)
        break
      case "sdk:user":
        this.#user(event.payload as MessagePayload)
        break
      case EventNames.callFinished:
        this.#finish(event.payload as { message_id: string; wasted: boolean })
        break
      default:
        return
    }
    this.size += bytes
  }

  /** The prompt joins the conversation when its turn begins, not when it was queued. */
  #begin(turn: string | null): void {
    const prompt = turn === null ? undefined : this.#prompts.get(turn)
    if (turn === null || prompt === undefined) return
    this.#prompts.delete(turn)
    // The route checked that the prompt's blocks are content blocks.
    this.#add("user", blocksOf(prompt as string | ReadonlyArray<Block>))
  }

  #assistant(payload: MessagePayload): void {
    const { id, model, content } = payload.message
    if (model === "<synthetic>") return
    // An answer that ended is never added to, whatever ids the API gives.
    const at = this.#entries.findLastIndex((entry) => entry.id === id && !entry.complete)
    const entry: Entry = this.#entries[at] ?? {
      role: "assistant",
      content: [],
      ...(id === undefined ? {} : { id, head: payload.message }),
      complete: payload.aborted === true,
    }
    if (at < 0) this.#entries.push(entry)
    for (const block of blocksOf(content)) {
      entry.content.push(block)
      if (block.type !== "tool_use" || typeof block["id"] !== "string") continue
      const use = { id: block["id"], name: String(block["name"]), input: block["input"], messageId: id ?? "" }
      this.#uses.set(use.id, use)
      this.#open.set(use.id, use)
    }
  }

  #user(payload: MessagePayload): void {
    if (payload.isReplay === true) return
    const blocks = blocksOf(payload.message.content)
    for (const block of blocks) {
      if (block.type === "tool_result") this.#open.delete(String(block["tool_use_id"]))
    }
    this.#add("user", blocks)
  }

  #add(role: "user", blocks: ReadonlyArray<Block>): void {
    const last = this.#entries.at(-1)
    if (last?.role === role) last.content.push(...blocks)
    else this.#entries.push({ role, content: [...blocks], complete: true })
  }

  /** A wasted answer leaves the conversation: it was asked for again. */
  #finish(call: { readonly message_id: string; readonly wasted: boolean }): void {
    const at = this.#entries.findLastIndex((candidate) => candidate.id === call.message_id)
    const entry = this.#entries[at]
    if (entry === undefined) return
    if (call.wasted) this.#entries.splice(at, 1)
    else entry.complete = true
  }

  /** What the next request sends. Fragments of nothing but thinking are left out: they can't be sent back. */
  messages(): ReadonlyArray<ApiMessage> {
    const messages: Array<{ role: "user" | "assistant"; content: Array<Block> }> = []
    for (const entry of this.#entries) {
      const content = entry.content.filter((block) => block.type !== "text" || block["text"] !== "")
      if (content.length === 0) continue
      if (entry.role === "assistant" && content.every((block) => THINKING.has(block.type))) continue
      const last = messages.at(-1)
      if (last?.role === entry.role) last.content.push(...content)
      else messages.push({ role: entry.role, content })
    }
    return messages
  }

  /** Calls that have no result yet, in the order in which the model made them. */
  openCalls(): ReadonlyArray<ToolUse> {
    return [...this.#open.values()]
  }

  /** The last answer, if a crash cut it off. */
  fragment(): Fragment | undefined {
    const entry = this.#entries.findLast((candidate) => candidate.role === "assistant")
    if (entry?.id === undefined || entry.complete) return undefined
    return { id: entry.id, head: entry.head ?? {}, content: entry.content }
  }

  toolUse(id: string): ToolUse | undefined {
    return this.#uses.get(id)
  }

  /** The last thing said, and who said it. */
  last(): { readonly role: "user" | "assistant"; readonly content: ReadonlyArray<Block> } | undefined {
    return this.#entries.at(-1)
  }
}
