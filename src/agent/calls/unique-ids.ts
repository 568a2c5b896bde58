// Receives a tool call's block or stream event; returns it with an id that no other call has.
// Invariant: an id belongs to one call, since asks, hook outcomes, results and the ledger are found by it. A gateway may reuse
// ids (`call_0` in each of its answers) or send none.
import * as Effect from "effect/Effect"
import type { RawStreamEvent } from "../../model/messages-api.ts"
import type { AssistantBlock } from "../../model/answer/stream-decoder.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"
import { Asks, ToolLedger, TurnContext, type Turn } from "../ports.ts"

/**
 * The block, with a new id if it is a call that has none or whose id is taken. `before`: blocks of the same answer that are not
 * logged yet.
 */
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

/** The event; if it starts a call whose id is taken, with a new id. */
export const beginning = Effect.fnUntraced(function* (
  event: RawStreamEvent,
): Effect.fn.Return<RawStreamEvent, never, Asks | ToolLedger | TurnContext> {
  const start = event["content_block"]
  if (!isPlainObject(start) || start["type"] !== "tool_use") return event
  const block = yield* withUniqueId({ ...start, type: "tool_use" })
  return block["id"] === start["id"] ? event : { ...event, content_block: block }
})

const newId = ({ newUuid }: Turn): string => `toolu_${newUuid().replaceAll("-", "")}`
