// The queued prompts of a session: accepted by the server, and waiting for earlier turns.
// Invariant: a prompt is in the list exactly while the conversation does not show it. The list has loaded prompts while they wait,
// accepted prompts that have not arrived over the stream, and queued prompts that are older than the loaded messages.
import { computed, type ReadonlySignal, signal } from "@preact/signals"
import type { LogEvent, Prompt, Turn } from "../../client/api/session-shapes.ts"
import { textOfPrompt } from "./outbox.ts"

export interface Queued {
  /** The id of the prompt's turn. */
  readonly id: string
  readonly text: string
}

export interface QueueParts {
  /** The queued prompts in the loaded conversation. */
  readonly waiting: ReadonlySignal<ReadonlyArray<Queued>>
  /** Whether the loaded conversation contains the prompt, queued or not. */
  readonly isLoaded: (id: string) => boolean
  readonly turns: () => Promise<ReadonlyArray<Turn>>
  /** Reads the event with this seq from the log. */
  readonly eventAt: (seq: number) => Promise<LogEvent | undefined>
  readonly cancel: (turn: string) => Promise<void>
  readonly turn: (turn: string) => Promise<Turn>
  /** Resolves when a request that failed should be sent again; rejects with the error if it should not. */
  readonly pauseAfter: (error: unknown) => Promise<void>
}

/** The prompt in a `turn:queued` event; null for any other event. */
export const promptOfEvent = (event: LogEvent | undefined): Prompt | null => {
  const payload = event?.payload
  if (typeof payload !== "object" || payload === null || !("prompt" in payload)) return null
  const { prompt } = payload
  return typeof prompt === "string" || Array.isArray(prompt) ? (prompt as Prompt) : null // as it was sent
}

export class Queue {
  readonly #parts: QueueParts
  readonly #older = signal<ReadonlyArray<Queued>>([])
  readonly #accepted = signal<ReadonlyArray<Queued>>([])
  /** Prompts that were withdrawn here; the stream removes their messages. */
  readonly #taken = signal<ReadonlyArray<string>>([])
  readonly #texts = new Map<string, string>()
  #reads = 0
  /** The queued prompts, the next one first. */
  readonly queued = computed<ReadonlyArray<Queued>>(() => {
    const { waiting, isLoaded } = this.#parts
    const lacking = (list: ReadonlyArray<Queued>) => list.filter(({ id }) => !isLoaded(id))
    const all = [...lacking(this.#older.value), ...waiting.value, ...lacking(this.#accepted.value)]
    return all.filter(({ id }) => !this.#taken.value.includes(id))
  })

  constructor(parts: QueueParts) {
    this.#parts = parts
  }

  /** Adds a prompt of this page that the server has accepted and queued. */
  accepted(prompt: Queued): void {
    this.#texts.set(prompt.id, prompt.text)
    this.#accepted.value = [...this.#accepted.value, prompt]
  }

  /** Drops accepted prompts whose messages have arrived. */
  settle(): void {
    const { value } = this.#accepted
    const rest = value.filter(({ id }) => !this.#parts.isLoaded(id))
    if (rest.length < value.length) this.#accepted.value = rest
  }

  /** Whether prompts are queued that the stream does not report. */
  get hasOlder(): boolean {
    return this.#older.peek().length > 0
  }

  /** Reads the queued prompts that are not loaded. If reads overlap, the latest one counts. */
  async refresh(): Promise<void> {
    this.#reads += 1
    const read = this.#reads
    const known = new Set(this.#accepted.peek().map(({ id }) => id))
    const waiting = (await this.#parts.turns()).filter(
      ({ status, turn_id: id }) => status === "queued" && !known.has(id) && !this.#parts.isLoaded(id),
    )
    const older = await Promise.all(waiting.map(async (turn) => ({ id: turn.turn_id, text: await this.#text(turn) })))
    if (read === this.#reads) this.#older.value = older.toReversed()
  }

  /**
   * Withdraws a prompt; returns it with its attachments, or null when its turn has already begun. If the response is lost, it waits
   * until the server reports the outcome: a prompt that is withdrawn exists only here.
   */
  async takeBack(id: string): Promise<Prompt | null> {
    const { turn, eventAt, cancel } = this.#parts
    // Read before it is removed from the conversation.
    const prompt = promptOfEvent(await eventAt((await turn(id)).first_seq))
    const failure = await cancel(id).then(
      () => null,
      (cause: unknown) => ({ cause }),
    )
    const isWithdrawn = (await this.#statusOf(id)) === "cancelled"
    if (!isWithdrawn && failure !== null) throw failure.cause
    if (!isWithdrawn) return null
    this.#taken.value = [...this.#taken.value, id]
    return prompt ?? ""
  }

  async #statusOf(id: string): Promise<Turn["status"]> {
    for (;;) {
      try {
        return (await this.#parts.turn(id)).status
      } catch (error) {
        await this.#parts.pauseAfter(error)
      }
    }
  }

  async #text({ turn_id: id, first_seq: seq }: Turn): Promise<string> {
    const known = this.#texts.get(id)
    if (known !== undefined) return known
    const prompt = promptOfEvent(await this.#parts.eventAt(seq))
    const text = prompt === null ? "A prompt" : textOfPrompt(prompt)
    this.#texts.set(id, text)
    return text
  }
}
