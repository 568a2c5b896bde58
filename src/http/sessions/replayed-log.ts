// Reads the uuids and turns of a replay session's events, by event name.
// Invariant: each event of the growing log is read once, however often it is requested; payloads are not kept.
import * as Effect from "effect/Effect"
import { MESSAGES } from "../../recording/recorded-messages.ts"
import type { EventHead } from "../../schemas/log/events.ts"
import type { ApiError } from "../errors/errors.ts"
import type { Caller } from "../handle.ts"
import { sessionPage } from "./session-page.ts"

type Found = Pick<EventHead, "uuid" | "turn">

interface Page {
  readonly events: ReadonlyArray<EventHead>
  readonly has_more: boolean
  readonly next_after: number
}

interface Known {
  after: number
  readonly events: Array<Found>
}

const LIMIT = 1000

export class ReplayedLog {
  readonly session: string
  readonly #caller: Caller
  readonly #known = new Map<string, Known>()

  constructor(caller: Caller, session: string) {
    this.#caller = caller
    this.session = session
  }

  /** All events with a name so far. */
  named(name: string): Effect.Effect<ReadonlyArray<Found>, ApiError> {
    return this.#read(name, { name }, () => true)
  }

  /** All messages of the main thread so far. */
  messages(): Effect.Effect<ReadonlyArray<Found>, ApiError> {
    const isOne = ({ name, parent_tool_use_id: agent }: EventHead) => MESSAGES.includes(name) && agent === null
    return this.#read("messages", { pattern: "sdk:*" }, isOne)
  }

  readonly #read = Effect.fnUntraced(
    { self: this },
    function* (
      this: ReplayedLog,
      key: string,
      query: Readonly<Record<string, string>>,
      counts: (event: EventHead) => boolean,
    ): Effect.fn.Return<ReadonlyArray<Found>, ApiError> {
      const known = this.#known.get(key) ?? { after: 0, events: [] }
      this.#known.set(key, known)
      for (let more = true; more;) {
        const asked = { after: known.after, limit: LIMIT, order: "asc", ...query }
        const response = yield* sessionPage(this.#caller, this.session, "events", asked)
        // The object wrote this page of its log.
        const page = yield* Effect.promise(() => response.json() as Promise<Page>)
        for (const event of page.events) if (counts(event)) known.events.push({ uuid: event.uuid, turn: event.turn })
        more = page.has_more
        known.after = page.next_after
      }
      return known.events
    },
  )
}
