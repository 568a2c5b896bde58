// Receives the calls of a conversation and which of them have a result; keeps the open ones and those of the last answer.
// Invariant: calls are in the order in which the model made them.
import type { Block } from "../../schemas/sdk/messages/blocks.ts"

export interface ToolUse {
  readonly id: string
  readonly name: string
  readonly input: unknown
  /** The API's id of the message with the block, or an empty text. */
  readonly messageId: string
}

export class ToolUses {
  readonly #uses = new Map<string, ToolUse>()
  readonly #open = new Map<string, ToolUse>()

  constructor(settled: ReadonlyArray<ToolUse> = []) {
    for (const use of settled) this.#uses.set(use.id, use)
  }

  /** Adds the block if it is a call. `isOpen`: the call has no result yet. */
  take(block: Block, messageId: string | undefined, isOpen: boolean): void {
    if (block.type !== "tool_use" || typeof block["id"] !== "string") return
    const use = { id: block["id"], name: String(block["name"]), input: block["input"], messageId: messageId ?? "" }
    this.#uses.set(use.id, use)
    if (isOpen) this.#open.set(use.id, use)
  }

  settle(id: string): void {
    this.#open.delete(id)
  }

  /** To be called when another answer starts: earlier calls with a result are not needed any more. */
  forgetSettled(): void {
    for (const id of this.#uses.keys()) if (!this.#open.has(id)) this.#uses.delete(id)
  }

  find(id: string): ToolUse | undefined {
    return this.#uses.get(id)
  }

  get all(): ReadonlyArray<ToolUse> {
    return [...this.#uses.values()]
  }

  get open(): ReadonlyArray<ToolUse> {
    return [...this.#open.values()]
  }
}
