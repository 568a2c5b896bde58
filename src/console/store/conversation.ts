// The messages and parts of a session as signals: a delta of a part renders only that part.
// Invariant: messages and parts are stored by id, so a repeated frame or page changes nothing.
import { batch, type Signal, signal } from "@preact/signals"
import { keptOf, sizeOf } from "./message-bounds.ts"
import type { Frame, MessageInfo, MessageWithParts, Part } from "./frames.ts"
import { taskEnd } from "./task-end.ts"

export interface MessageState {
  readonly info: Signal<MessageInfo>
  /** Ids of the parts, in order. */
  readonly parts: Signal<ReadonlyArray<string>>
}

export class Conversation {
  /** Ids of the messages, the oldest first. */
  readonly ids = signal<ReadonlyArray<string>>([])
  /** Counts changes that may affect the height of the newest message: text, parts. */
  readonly changes = signal(0)
  /** Ids of the prompts whose turns have not begun, the oldest first. */
  readonly queued = signal<ReadonlyArray<string>>([])
  /** The prompt of the latest turn that began while this page was connected. */
  readonly newestTurn = signal<string | null>(null)
  /** How background tasks have ended, by the call that started each of them. */
  readonly taskEnds = signal<ReadonlyMap<string, string>>(new Map())
  readonly #messages = new Map<string, MessageState>()
  readonly #parts = new Map<string, Signal<Part>>()
  /** Maps ids of tool calls to the ids of their parts. */
  readonly #calls = new Map<string, string>()
  /** Uuids of the prompts that the stream has removed. */
  readonly #removedPrompts = new Set<string>()

  message(id: string): MessageState | undefined {
    return this.#messages.get(id)
  }

  part(id: string): Signal<Part> | undefined {
    return this.#parts.get(id)
  }

  /** Whether the message of this prompt is loaded. */
  hasPrompt(uuid: string): boolean {
    return this.ids.value.some((id) => {
      const { role, sdk } = this.#messages.get(id)?.info.peek() ?? {}
      return role === "user" && sdk?.uuid === uuid
    })
  }

  /** Whether the stream has removed the message of this prompt: it was withdrawn, or reverted. */
  wasRemoved(uuid: string): boolean {
    return this.#removedPrompts.has(uuid)
  }

  /** Whether the part of this tool call is loaded. */
  hasCall(callID: string): boolean {
    return this.#calls.has(callID)
  }

  #keep(part: Part): void {
    this.#parts.set(part.id, signal(part))
    if (part.callID !== undefined) this.#calls.set(part.callID, part.id)
    const end = taskEnd(part)
    if (end !== null) this.taskEnds.value = new Map([...this.taskEnds.peek(), end])
  }

  /** Adds a page of messages, which are in order, before or after the known ones. */
  addPage(page: ReadonlyArray<MessageWithParts>, place: "before" | "after"): void {
    batch(() => {
      const fresh = page.filter(({ info }) => !this.#messages.has(info.id)).map(({ info }) => info.id)
      for (const { info, parts } of page) {
        const known = this.#messages.get(info.id)
        // Streamed frames are newer than a page that was requested before them.
        if (known !== undefined) continue
        for (const part of parts) this.#keep(part)
        this.#messages.set(info.id, { info: signal(info), parts: signal(parts.map(({ id }) => id)) })
      }
      this.ids.value = place === "before" ? [...fresh, ...this.ids.value] : [...this.ids.value, ...fresh]
      this.#findQueued()
      this.changes.value += 1
    })
  }

  /** Replaces all messages with the newest ones, because frames may have been missed. */
  replace(page: ReadonlyArray<MessageWithParts>): void {
    batch(() => {
      const listed = new Set(page.map(({ info }) => info.id))
      for (const id of this.ids.peek()) if (!listed.has(id)) this.#forget(id)
      for (const { info, parts } of page) {
        const known = this.#messages.get(info.id)
        if (known === undefined) continue
        // Components keep their signals, so the signals of a known message are reused.
        known.info.value = info
        const kept = new Set(parts.map(({ id }) => id))
        for (const id of known.parts.peek()) if (!kept.has(id)) this.#forgetPart(id)
        for (const part of parts) {
          const shown = this.#parts.get(part.id)
          if (shown === undefined) this.#keep(part)
          else shown.value = part
        }
        known.parts.value = parts.map(({ id }) => id)
      }
      this.ids.value = []
      this.newestTurn.value = null
      this.addPage(page, "after")
      this.ids.value = page.map(({ info }) => info.id)
      this.#findQueued()
    })
  }

  /** Applies a frame; returns false if it is not about messages or parts. */
  apply({ type, properties }: Frame): boolean {
    switch (type) {
      case "message.updated":
        batch(() => this.#update(properties["info"] as MessageInfo)) // the format's own shape
        return true
      case "message.part.updated":
        this.#updatePart(properties["part"] as Part) // the format's own shape
        return true
      case "message.part.delta":
        this.#append(String(properties["partID"]), String(properties["field"]), String(properties["delta"]))
        return true
      case "message.removed":
        batch(() => this.#remove(String(properties["messageID"])))
        return true
      case "message.part.removed":
        this.#removePart(String(properties["messageID"]), String(properties["partID"]))
        return true
      default:
        return false
    }
  }

  #update(info: MessageInfo): void {
    const known = this.#messages.get(info.id)
    const wasQueued = known?.info.peek().sdk?.queued === true
    if (known === undefined) {
      this.#messages.set(info.id, { info: signal(info), parts: signal([]) })
      this.ids.value = [...this.ids.value, info.id]
      this.changes.value += 1
    } else known.info.value = info
    if (wasQueued === (info.sdk?.queued === true)) return
    this.#findQueued()
    // A prompt that joined another turn has no `tools`.
    if (wasQueued && info["tools"] !== undefined) this.newestTurn.value = info.id
  }

  #findQueued(): void {
    const queued = this.ids.value.filter((id) => this.#messages.get(id)?.info.peek().sdk?.queued === true)
    if (queued.length > 0 || this.queued.peek().length > 0) this.queued.value = queued
  }

  #updatePart(part: Part): void {
    const known = this.#parts.get(part.id)
    this.changes.value += 1
    if (known !== undefined) {
      known.value = part
      return
    }
    const message = this.#messages.get(part.messageID)
    // The part belongs to a message that is older than the loaded pages.
    if (message === undefined) return
    this.#keep(part)
    const ids = message.parts.value
    // Retries precede the answer, but the stream only has them with its final parts.
    const isRetry = (id: string) => this.#parts.get(id)?.peek().type === "retry"
    message.parts.value = ids.toSpliced(part.type === "retry" ? ids.filter(isRetry).length : ids.length, 0, part.id)
  }

  #append(id: string, field: string, delta: string): void {
    const known = this.#parts.get(id)
    if (known === undefined) return
    const part = known.value
    known.value =
      field === "state.raw"
        ? { ...part, state: { status: "pending", ...part.state, raw: (part.state?.raw ?? "") + delta } }
        : { ...part, text: (part.text ?? "") + delta }
    this.changes.value += 1
  }

  /**
   * Drops all but the newest messages, those with the calls that they belong to, and the queued prompts; returns the first of the
   * newest, or null if there were no others.
   */
  keepNewest(count: number): string | null {
    const { value } = this.ids
    if (value.length <= count) return null
    const dropped = new Set(value.slice(0, -count))
    for (const id of this.queued.peek()) dropped.delete(id)
    for (const id of value.slice(-count)) this.#keepCallers(id, dropped)
    for (const id of dropped) this.#forget(id)
    this.ids.value = value.filter((id) => !dropped.has(id))
    this.#findQueued()
    return value.at(-count) ?? null
  }

  /** Takes the messages out of `dropped` whose calls started the subagents that a message is inside of. */
  #keepCallers(id: string, dropped: Set<string>): void {
    const call = this.#messages.get(id)?.info.peek().sdk?.parentToolUseId
    const caller = this.#parts.get(this.#calls.get(call ?? "") ?? "")?.peek().messageID
    if (caller !== undefined && dropped.delete(caller)) this.#keepCallers(caller, dropped)
  }

  /** Drops the oldest messages if there are too many, or their texts are too long. Returns as `keepNewest`. */
  keepBounded(): string | null {
    return this.keepNewest(this.#bound())
  }

  isTooLong(): boolean {
    return this.#bound() < this.ids.peek().length
  }

  #bound(): number {
    return keptOf(this.ids.peek().map((id) => this.#sizeOf(id)))
  }

  #sizeOf(id: string): number {
    const parts =
      this.#messages
        .get(id)
        ?.parts.peek()
        .map((part) => this.#parts.get(part)?.peek()) ?? []
    return parts.reduce((sum, part) => sum + (part === undefined ? 0 : sizeOf(part)), 0)
  }

  #remove(id: string): void {
    const { role, sdk } = this.#messages.get(id)?.info.peek() ?? {}
    if (role === undefined) return
    if (role === "user" && sdk?.uuid !== undefined) this.#removedPrompts.add(sdk.uuid)
    this.#forget(id)
    this.ids.value = this.ids.value.filter((other) => other !== id)
    if (this.queued.peek().includes(id)) this.#findQueued()
  }

  #forget(id: string): void {
    for (const part of this.#messages.get(id)?.parts.peek() ?? []) this.#forgetPart(part)
    this.#messages.delete(id)
  }

  #forgetPart(id: string): void {
    const call = this.#parts.get(id)?.peek().callID
    if (call !== undefined) this.#calls.delete(call)
    this.#parts.delete(id)
  }

  #removePart(message: string, id: string): void {
    this.#parts.delete(id)
    const known = this.#messages.get(message)
    if (known !== undefined) known.parts.value = known.parts.value.filter((other) => other !== id)
  }

  clear(): void {
    this.#messages.clear()
    this.#parts.clear()
    this.#calls.clear()
    this.ids.value = []
    this.queued.value = []
    this.newestTurn.value = null
    this.taskEnds.value = new Map()
  }
}
