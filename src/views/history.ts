// Receives what a client says was said before: SDKMessages of another session, as a stream or `getSessionMessages` gave
// them. Returns the events that a session begins with to go on with that conversation, or what is wrong with a message.
// Invariant: every turn is over and every call has its result, so that the next prompt is the conversation's next word;
// what was said is kept as it was, and nothing in it is counted or paid again. Of the other messages (`system/init`,
// states, hooks, costs) only a compaction's place is kept: they tell of another server.
import { Result } from "effect"
import {
  type CallFinished,
  EventNames,
  type LogEvent,
  type ToolSkipped,
  type TurnQueued,
} from "../schemas/log/events.ts"
import { isUuid } from "../schemas/ids.ts"
import type { SdkMessage } from "../schemas/sdk/adapters/message-adapter.ts"
import { decodeSdkMessage } from "../schemas/sdk/messages/messages.ts"
import { isToolResultBlock, isToolUseBlock } from "../schemas/sdk/messages/type-guards.ts"
import { blocksOf } from "./part-of-block.ts"
import { sdkMessagesToEvents } from "./sdk-parts.ts"

/** An event that is to be written as it is, at the next place of the log. */
export type HistoryEvent = Omit<LogEvent, "seq">

/** What is wrong with the message at `index`; `path` leads to its field. */
export interface HistoryIssue {
  readonly index: number
  readonly path: ReadonlyArray<string | number>
  readonly message: string
}

export interface HistoryDeps {
  readonly sessionId: string
  readonly now: number
  readonly newUuid: () => string
}

const LOST_RESULT =
  "The conversation was continued in another session without the result of this call, so its outcome is unknown. Check whether it took effect before you rely on it or call it again."

const KEPT_SYSTEM = "sdk:system/compact_boundary"

export const historyEvents = (
  deps: HistoryDeps,
  history: ReadonlyArray<unknown>,
): Result.Result<ReadonlyArray<HistoryEvent>, HistoryIssue> => {
  const messages = new Map<string, { readonly index: number; readonly message: SdkMessage }>()
  for (const [index, given] of history.entries()) {
    if (isUntold(given)) continue
    const decoded = decodeSdkMessage(given)
    if (Result.isFailure(decoded)) {
      const { path, message } = decoded.failure.issues[0] ?? { path: [], message: "Expected a message" }
      return Result.fail({ index, path, message })
    }
    // Decoded: an object with a type. A stream may tell a message again: it was said once.
    const message = decoded.success.message as SdkMessage
    const { uuid } = message
    const id = typeof uuid === "string" && isUuid(uuid) ? uuid : deps.newUuid()
    if (!messages.has(id)) messages.set(id, { index, message: { ...message, uuid: id, session_id: deps.sessionId } })
  }
  const events = sdkMessagesToEvents(
    deps.sessionId,
    [...messages.values()].map(({ message }) => message),
  )
  const walk = new Import(deps, (uuid) => messages.get(uuid)?.index ?? 0, events)
  for (const event of events) {
    const issue = walk.take(event)
    if (issue !== null) return Result.fail(issue)
  }
  return Result.succeed(walk.end())
}

/** `getSessionMessages` gives system messages without what they say. */
const isUntold = (given: unknown): boolean =>
  typeof given === "object" &&
  given !== null &&
  "parent_agent_id" in given &&
  Reflect.get(given, "type") === "system" &&
  !("subtype" in given)

/** What the payloads of assistant and user messages hold that matters here. */
interface Said {
  readonly isReplay?: unknown
  readonly message: { readonly id?: unknown; readonly content: unknown }
}

class Import {
  readonly #deps: HistoryDeps
  readonly #indexOf: (uuid: string) => number
  readonly #out: Array<HistoryEvent> = []
  readonly #inits: ReadonlyMap<string | null, Readonly<Record<string, unknown>>>
  readonly #firstAt: number
  #turn: string | null = null
  #at = 0
  /** The answer that was said last on the main thread, and calls without a result. */
  #answer: unknown
  readonly #calls = new Set<string>()
  readonly #open = new Set<string>()

  constructor(deps: HistoryDeps, indexOf: (uuid: string) => number, events: ReadonlyArray<LogEvent>) {
    this.#deps = deps
    this.#indexOf = indexOf
    const inits = events.filter(({ name }) => name === "sdk:system/init")
    this.#inits = new Map(inits.map(({ turn, payload }) => [turn, payload as Readonly<Record<string, unknown>>]))
    this.#firstAt = events.find(({ at }) => at > 0)?.at ?? deps.now
  }

  /** Returns what is wrong, or null. */
  take(event: LogEvent): HistoryIssue | null {
    this.#at = Math.min(event.at > 0 ? event.at : this.#firstAt, this.#deps.now)
    switch (event.name) {
      case EventNames.turnQueued:
        return this.#begin(event)
      case EventNames.callFinished:
        return this.#push(event, { ...(event.payload as CallFinished), imported: true })
      case "sdk:assistant":
        return this.#assistant(event, event.payload as Said)
      case "sdk:user":
        return this.#user(event, event.payload as Said)
      case KEPT_SYSTEM:
        return this.#push(event, event.payload)
      default:
        return null
    }
  }

  end(): ReadonlyArray<HistoryEvent> {
    this.#endTurn()
    return this.#out
  }

  #begin(event: LogEvent): null {
    this.#endTurn()
    const turn = event.turn !== null && isUuid(event.turn) ? event.turn : this.#deps.newUuid()
    this.#turn = turn
    const { prompt } = event.payload as TurnQueued
    const { model, permissionMode } = this.#inits.get(event.turn) ?? {}
    const options = {
      ...(model === undefined ? {} : { model }),
      ...(permissionMode === undefined ? {} : { permissionMode }),
    }
    const payload: TurnQueued = { prompt, options, imported: true }
    return this.#push({ ...event, uuid: turn }, payload)
  }

  #endTurn(): void {
    if (this.#turn === null) return
    this.#skipOpen()
    this.#own(EventNames.turnImported, {})
    this.#turn = null
  }

  #assistant(event: LogEvent, said: Said): HistoryIssue | null {
    if (event.parent_tool_use_id !== null) return this.#push(event, said)
    // The API wants an answer's results before the next answer.
    if (said.message.id !== this.#answer) this.#skipOpen()
    this.#answer = said.message.id
    for (const [place, block] of blocksOf(said.message.content).entries()) {
      if (!isToolUseBlock(block)) continue
      const { id } = block
      if (this.#calls.has(id)) return this.#issue(event, place, `the call ${cut(id)} is there already`)
      this.#calls.add(id)
      this.#open.add(id)
    }
    return this.#push(event, said)
  }

  #user(event: LogEvent, { isReplay: _, ...said }: Said): HistoryIssue | null {
    if (event.parent_tool_use_id !== null) return this.#push(event, said)
    for (const [place, block] of blocksOf(said.message.content).entries()) {
      if (!isToolResultBlock(block)) continue
      const id = block.tool_use_id
      if (!this.#open.delete(id)) return this.#issue(event, place, `no call ${cut(id)} before it waits for a result`)
    }
    return this.#push(event, said)
  }

  #issue(event: LogEvent, place: number, message: string): HistoryIssue {
    return { index: this.#indexOf(event.uuid), path: ["message", "content", place], message }
  }

  /** Calls whose results nobody can tell any more. */
  #skipOpen(): void {
    for (const id of this.#open) {
      const skipped: ToolSkipped = { tool_use_id: id, content: LOST_RESULT }
      this.#own(EventNames.toolSkipped, skipped)
    }
    this.#open.clear()
  }

  #own(name: string, payload: unknown): void {
    this.#push({ name, uuid: this.#deps.newUuid(), turn: this.#turn, parent_tool_use_id: null }, payload)
  }

  #push(event: Pick<LogEvent, "name" | "uuid" | "turn" | "parent_tool_use_id">, payload: unknown): null {
    const { name, uuid, parent_tool_use_id } = event
    this.#out.push({
      name,
      uuid: isUuid(uuid) ? uuid : this.#deps.newUuid(),
      turn: this.#turn,
      parent_tool_use_id,
      at: this.#at,
      payload,
    })
    return null
  }
}

const cut = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text)
