// The prompts of a session that the server has accepted and that wait behind a turn.
// Invariant: the list is the server's; the texts of prompts that this page sent are known, others are read from the log.
import { signal } from "@preact/signals"
import type { LogEvent, Prompt, Turn } from "../../client/api/session-shapes.ts"
import { textOfPrompt } from "./outbox.ts"

export interface Queued {
  readonly id: string
  readonly text: string
}

export interface QueueParts {
  readonly turns: () => Promise<ReadonlyArray<Turn>>
  /** The event at a place of the log. */
  readonly eventAt: (seq: number) => Promise<LogEvent | undefined>
  readonly cancel: (turn: string) => Promise<void>
  readonly status: (turn: string) => Promise<Turn["status"]>
}

/** The text of a `turn:queued` event; null when it is another one. */
export const promptOfEvent = (event: LogEvent | undefined): string | null => {
  const payload = event?.payload
  if (typeof payload !== "object" || payload === null || !("prompt" in payload)) return null
  const { prompt } = payload
  return typeof prompt === "string" || Array.isArray(prompt) ? textOfPrompt(prompt as Prompt) : null // as it was sent
}

export class Queue {
  readonly queued = signal<ReadonlyArray<Queued>>([])
  readonly #parts: QueueParts
  readonly #texts = new Map<string, string>()
  #reads = 0

  constructor(parts: QueueParts) {
    this.#parts = parts
  }

  /** The text of a prompt that this page sent. */
  know(id: string, text: string): void {
    this.#texts.set(id, text)
  }

  /** Reads the list again. Of two reads at once the later one counts. */
  async refresh(): Promise<void> {
    this.#reads += 1
    const read = this.#reads
    const waiting = (await this.#parts.turns()).filter(({ status }) => status === "queued")
    const queued = await Promise.all(waiting.map(async (turn) => ({ id: turn.turn_id, text: await this.#text(turn) })))
    if (read === this.#reads) this.queued.value = queued.toReversed()
  }

  /** Takes a prompt back; returns its text, or null when its turn has begun already. */
  async takeBack(id: string): Promise<string | null> {
    const text = this.queued.value.find((one) => one.id === id)?.text ?? ""
    await this.#parts.cancel(id)
    const status = await this.#parts.status(id)
    await this.refresh()
    return status === "cancelled" ? text : null
  }

  async #text({ turn_id: id, first_seq: seq }: Turn): Promise<string> {
    const known = this.#texts.get(id)
    if (known !== undefined) return known
    const text = promptOfEvent(await this.#parts.eventAt(seq)) ?? "A prompt"
    this.#texts.set(id, text)
    return text
  }
}
