// Receives what the model sends of a tool call; returns it under an id that no other call has.
// Invariant: answers of people and hooks, results and the ledger belong to one call each: they are found by its id, which a
// gateway may give to several (`call_0` in each of its answers), or to none.
import * as Effect from "effect/Effect"
import type { RawStreamEvent } from "../../model/messages-api.ts"
import type { AssistantBlock } from "../../model/answer/stream-decoder.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"
import { Asks, ToolLedger, TurnContext, type Turn } from "../ports.ts"

/** The same block, with an id of its own if it is a call without one, or whose id is taken; `before` are blocks of its answer that are not in the log. */
export const withUniqueId = Effect.fnUntraced(function* (
  block: AssistantBlock,
  before: ReadonlyArray<AssistantBlock> = [],
): Effect.fn.Return<AssistantBlock, never, Asks | ToolLedger | TurnContext> {
  const { id } = block
  if (block.type !== "tool_use") return block
  const turn = yield* TurnContext
  if (typeof id !== "string" || id === "") return { ...block, id: newId(turn) }
  const isTaken =
    before.some((other) => other["id"] === id) ||
    turn.memory.accounting.tally?.calls.has(id) === true ||
    (yield* ToolLedger).wasStarted(id) ||
    (yield* Asks).find(id) !== undefined
  return isTaken ? { ...block, id: newId(turn) } : block
})

/** The same event; one that begins a call has its block with an id of its own. */
export const beginning = Effect.fnUntraced(function* (
  event: RawStreamEvent,
): Effect.fn.Return<RawStreamEvent, never, Asks | ToolLedger | TurnContext> {
  const start = event["content_block"]
  if (!isPlainObject(start) || start["type"] !== "tool_use") return event
  const block = yield* withUniqueId({ ...start, type: "tool_use" })
  return block["id"] === start["id"] ? event : { ...event, content_block: block }
})

const newId = ({ newUuid }: Turn): string => `toolu_${newUuid().replaceAll("-", "")}`
