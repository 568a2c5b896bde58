// Receives the history that a client sends for a new session: SDKMessages of another session, as a stream or
// `getSessionMessages` returned them. Returns the session's first events, or the first error in a message.
// Invariant: every turn has ended and every call has its result, so that the next prompt continues the conversation; its
// messages are kept unchanged, and their usage and cost are not counted again. Of the other messages (`system/init`,
// states, hooks, costs) only the place of a compaction is kept: they describe another server.
import * as Result from "effect/Result"
import type { EventName, PayloadOf } from "../../schemas/log/event-payloads.ts"
import { EventNames, type LogEvent, type UnplacedEvent } from "../../schemas/log/events.ts"
import { isUuid } from "../../schemas/ids.ts"
import type { SdkMessage } from "../../schemas/sdk/adapters/message-adapter.ts"
import { decodeSdkMessage } from "../../schemas/sdk/messages/messages.ts"
import { isToolResultBlock, isToolUseBlock } from "../../schemas/sdk/messages/type-guards.ts"
import { blocksIn } from "../../schemas/sdk/messages/blocks.ts"
import { sdkMessagesToEvents } from "./sdk-parts.ts"
import { shortened } from "../../schemas/shortened.ts"

/** An error in the message at `index`; `path` leads to the field. */
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

export const historyEvents = (
  deps: HistoryDeps,
  history: ReadonlyArray<unknown>,
): Result.Result<ReadonlyArray<UnplacedEvent>, HistoryIssue> => {
  const messages = new Map<string, { readonly index: number; readonly message: SdkMessage }>()
  for (const [index, given] of history.entries()) {
    if (isWithoutContent(given)) continue
    const decoded = decodeSdkMessage(given)
    if (Result.isFailure(decoded)) {
      const { path, message } = decoded.failure.issues[0] ?? { path: [], message: "Expected a message" }
      return Result.fail({ index, path, message })
    }
    // The decoder has checked that it is an object with a type. If a stream repeats a message, its first occurrence counts.
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

/** True for a system message as `getSessionMessages` returns it, without its content. */
const isWithoutContent = (given: unknown): boolean =>
  typeof given === "object" &&
  given !== null &&
  "parent_agent_id" in given &&
  Reflect.get(given, "type") === "system" &&
  !("subtype" in given)

class Import {
  readonly #deps: HistoryDeps
  readonly #indexOf: (uuid: string) => number
  readonly #out: Array<UnplacedEvent> = []
  readonly #inits: ReadonlyMap<string | null, PayloadOf<"sdk:system/init">>
  readonly #firstAt: number
  #turn: string | null = null
  #at = 0
  /** Id of the latest answer on the main thread. `#calls` has the ids of its calls so far, `#open` of those without a result. */
  #answer: unknown
  readonly #calls = new Set<string>()
  readonly #open = new Set<string>()

  constructor(deps: HistoryDeps, indexOf: (uuid: string) => number, events: ReadonlyArray<LogEvent>) {
    this.#deps = deps
    this.#indexOf = indexOf
    const inits = events.filter((event) => event.name === "sdk:system/init")
    this.#inits = new Map(inits.map(({ turn, payload }) => [turn, payload]))
    this.#firstAt = events.find(({ at }) => at > 0)?.at ?? deps.now
  }

  /** Adds an event; returns the error in its message, or null. */
  take(event: LogEvent): HistoryIssue | null {
    this.#at = Math.min(event.at > 0 ? event.at : this.#firstAt, this.#deps.now)
    switch (event.name) {
      case EventNames.turnQueued:
        return this.#begin(event)
      case EventNames.callFinished:
        return this.#push(EventNames.callFinished, event, { ...event.payload, imported: true })
      case "sdk:assistant":
        return this.#assistant(event)
      case "sdk:user":
        return this.#user(event)
      case "sdk:system/compact_boundary":
        return this.#push(event.name, event, event.payload)
      default:
        return null
    }
  }

  end(): ReadonlyArray<UnplacedEvent> {
    this.#endTurn()
    return this.#out
  }

  #begin(event: LogEvent<"turn:queued">): null {
    this.#endTurn()
    const turn = event.turn !== null && isUuid(event.turn) ? event.turn : this.#deps.newUuid()
    this.#turn = turn
    const { prompt } = event.payload
    const { model, permissionMode } = this.#inits.get(event.turn) ?? {}
    const options = {
      ...(model === undefined ? {} : { model }),
      ...(permissionMode === undefined ? {} : { permissionMode }),
    }
    return this.#push(EventNames.turnQueued, { ...event, uuid: turn }, { prompt, options, imported: true })
  }

  #endTurn(): void {
    if (this.#turn === null) return
    this.#skipOpen()
    this.#own(EventNames.turnImported, {})
    this.#turn = null
  }

  #assistant(event: LogEvent<"sdk:assistant">): HistoryIssue | null {
    const { name, payload } = event
    if (event.parent_tool_use_id !== null) return this.#push(name, event, payload)
    // The API requires the results of an answer's calls before the next answer.
    if (payload.message.id !== this.#answer) this.#skipOpen()
    this.#answer = payload.message.id
    for (const [place, block] of blocksIn(payload.message.content).entries()) {
      if (!isToolUseBlock(block)) continue
      const { id } = block
      if (this.#calls.has(id)) return this.#issue(event, place, `the call ${cut(id)} is there already`)
      this.#calls.add(id)
      this.#open.add(id)
    }
    return this.#push(name, event, payload)
  }

  #user(event: LogEvent<"sdk:user">): HistoryIssue | null {
    const { name } = event
    const { isReplay: _, ...payload } = event.payload
    if (event.parent_tool_use_id !== null) return this.#push(name, event, payload)
    for (const [place, block] of blocksIn(payload.message.content).entries()) {
      if (!isToolResultBlock(block)) continue
      const id = block.tool_use_id
      if (!this.#open.delete(id))
        return this.#issue(event, place, `tool_use_id ${cut(id)} matches no earlier call without a result`)
    }
    return this.#push(name, event, payload)
  }

  #issue(event: LogEvent, place: number, message: string): HistoryIssue {
    return { index: this.#indexOf(event.uuid), path: ["message", "content", place], message }
  }

  /** Adds a result to each call whose result is missing: a text that explains this to the model. */
  #skipOpen(): void {
    for (const id of this.#open) {
      this.#own(EventNames.toolSkipped, { tool_use_id: id, content: LOST_RESULT })
    }
    this.#open.clear()
  }

  #own<N extends EventName>(name: N, payload: PayloadOf<N>): void {
    this.#push(name, { uuid: this.#deps.newUuid(), parent_tool_use_id: null }, payload)
  }

  #push<N extends EventName>(
    name: N,
    { uuid, parent_tool_use_id }: Pick<LogEvent, "uuid" | "parent_tool_use_id">,
    payload: PayloadOf<N>,
  ): null {
    const event = {
      name,
      uuid: isUuid(uuid) ? uuid : this.#deps.newUuid(),
      turn: this.#turn,
      parent_tool_use_id,
      at: this.#at,
      payload,
    }
    // `name` and `payload` match: the signature ties them together.
    this.#out.push(event as UnplacedEvent<N>)
    return null
  }
}

const cut = (text: string): string => shortened(text, 100)
