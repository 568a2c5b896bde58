// Prompts between the composer and the server: each is stored with its own id until the server has accepted it.
// Invariants: a prompt is always sent with the same uuid and idempotency key, so it runs once despite network failures, reloads
// and restarts of the server; prompts are sent in the order in which they were written; a rejected one waits for its author.
import { signal } from "@preact/signals"
import { PerchError } from "../../client/api/perch-error.ts"
import type { Prompt, Query } from "../../client/api/session-shapes.ts"
import type { DraftStorage } from "./drafts.ts"

export interface Outgoing {
  /** The id of the turn, and the idempotency key. */
  readonly uuid: string
  readonly prompt: Prompt
  readonly on_busy: "queue" | "interrupt"
  /** `refused`: the server rejects it unless it is changed. */
  readonly state: "waiting" | "sending" | "refused"
  /** The error of the last attempt; null if there is none. */
  readonly error: string | null
}

export interface OutboxParts {
  readonly session: string
  readonly storage: DraftStorage
  /** Sends a prompt; throws a PerchError when it is not accepted. */
  readonly post: (query: Query & { readonly uuid: string }) => Promise<void>
  readonly onAccepted: (sent: Outgoing) => void
  readonly messageOf: (error: unknown) => string
  readonly newUuid: () => string
  /** Calls `then` after `ms` milliseconds; returns a function that cancels it. */
  readonly later: (ms: number, then: () => void) => () => void
}

const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 15_000

/** The text of a prompt, for display. */
export const textOfPrompt = (prompt: Prompt): string =>
  typeof prompt === "string"
    ? prompt
    : prompt.flatMap((block) => (typeof block["text"] === "string" ? [block["text"]] : [])).join("\n")

/** The number of blocks in a prompt that are not text. */
export const attachmentsOf = (prompt: Prompt): number =>
  typeof prompt === "string" ? 0 : prompt.filter(({ type }) => type !== "text").length

export const OUTBOX_PREFIX = "perch.outbox."

const nameOf = (session: string): string => `${OUTBOX_PREFIX}${session}`

const isEntry = (value: unknown): value is Outgoing =>
  typeof value === "object" && value !== null && "uuid" in value && "prompt" in value && "on_busy" in value

/** The stored prompts; those that were being sent are waiting again. */
const kept = (storage: DraftStorage, session: string): ReadonlyArray<Outgoing> => {
  const text = storage.getItem(nameOf(session))
  if (text === null) return []
  try {
    const value: unknown = JSON.parse(text)
    if (!Array.isArray(value)) return []
    return value.filter(isEntry).map((entry) => (entry.state === "sending" ? { ...entry, state: "waiting" } : entry))
  } catch {
    // Stored by another version of the page.
    return []
  }
}

/** Stores the prompts of a session, whose outbox need not be open. Returns false when the storage did not accept them. */
export const keepFor = (storage: DraftStorage, session: string, entries: ReadonlyArray<Outgoing>): boolean => {
  try {
    if (entries.length === 0) storage.removeItem(nameOf(session))
    else storage.setItem(nameOf(session), JSON.stringify(entries))
    return true
  } catch {
    return false
  }
}

export class Outbox {
  readonly entries = signal<ReadonlyArray<Outgoing>>([])
  /** False while a prompt is too large to survive a reload. */
  readonly isKept = signal(true)
  readonly #parts: OutboxParts
  #isSending = false
  #failures = 0
  #cancelPause: () => void = () => {}

  constructor(parts: OutboxParts) {
    this.#parts = parts
    this.entries.value = kept(parts.storage, parts.session)
  }

  /** Adds a prompt and starts sending. */
  add(prompt: Prompt, on_busy: Outgoing["on_busy"] = "queue"): void {
    const uuid = this.#parts.newUuid()
    this.#set([...this.entries.value, { uuid, prompt, on_busy, state: "waiting", error: null }])
    this.resume()
  }

  /** Sends waiting prompts now: after a reload, when the network is back, or when the user requests it. */
  resume(): void {
    this.#cancelPause()
    void this.#send()
  }

  retry(uuid: string): void {
    this.#update(uuid, { state: "waiting", error: null })
    this.resume()
  }

  /** Removes a prompt, to edit or discard it. Returns null if it is unknown or being sent. */
  take(uuid: string): Outgoing | null {
    const entry = this.entries.value.find((other) => other.uuid === uuid)
    if (entry === undefined || entry.state === "sending") return null
    this.#remove(uuid)
    return entry
  }

  async #send(): Promise<void> {
    if (this.#isSending) return
    this.#isSending = true
    try {
      for (let next = this.#next(); next !== undefined; next = this.#next()) {
        if (!(await this.#post(next))) return
      }
    } finally {
      this.#isSending = false
    }
  }

  #next(): Outgoing | undefined {
    return this.entries.value.find(({ state }) => state === "waiting")
  }

  /** Sends a prompt; returns false when sending must pause. */
  async #post(entry: Outgoing): Promise<boolean> {
    const { uuid, prompt, on_busy } = entry
    this.#update(uuid, { state: "sending", error: null })
    try {
      await this.#parts.post({ prompt, uuid, on_busy })
      this.#failures = 0
      this.#remove(uuid)
      this.#parts.onAccepted(entry)
      return true
    } catch (cause) {
      const error = this.#parts.messageOf(cause)
      if (cause instanceof PerchError && !cause.retryable) {
        this.#update(uuid, { state: "refused", error })
        return true
      }
      this.#update(uuid, { state: "waiting", error })
      const pause = Math.min(FIRST_PAUSE_MS * 2 ** this.#failures, LONGEST_PAUSE_MS)
      this.#failures += 1
      this.#cancelPause = this.#parts.later(pause, () => void this.#send())
      return false
    }
  }

  #update(uuid: string, change: Partial<Outgoing>): void {
    this.#set(this.entries.value.map((entry) => (entry.uuid === uuid ? { ...entry, ...change } : entry)))
  }

  #remove(uuid: string): void {
    this.#set(this.entries.value.filter((entry) => entry.uuid !== uuid))
  }

  #set(entries: ReadonlyArray<Outgoing>): void {
    this.entries.value = entries
    this.isKept.value = keepFor(this.#parts.storage, this.#parts.session, entries)
  }
}
