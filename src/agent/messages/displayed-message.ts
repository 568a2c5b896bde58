// Receives an assistant message; calls MessageDisplay hooks for its text, and returns the events to log.
// Invariant: the model and hooks read the original text, clients the displayed one, in live and replayed streams alike.
import * as Effect from "effect/Effect"
import { EventNames, type NewEvent } from "../../schemas/log/events.ts"
import { isTextBlock } from "../../schemas/sdk/messages/type-guards.ts"
import { fire } from "../calls/hook-events.ts"
import { Hooks, TurnContext } from "../ports.ts"
import { isBlank } from "../transcript/sent-messages.ts"

type Message = NewEvent<"sdk:assistant">

/**
 * As the official SDK: hooks are called for each text of the main conversation, including API errors. If a hook returns a blank
 * text, clients receive no message.
 */
export const displayed = Effect.fnUntraced(function* (
  message: Message,
): Effect.fn.Return<ReadonlyArray<NewEvent>, never, Hooks | TurnContext> {
  const hooks = yield* Hooks
  if (!hooks.listens("MessageDisplay")) return [message]
  const turn = yield* TurnContext
  const [block] = message.payload.message.content
  if (turn.agent !== undefined || block === undefined || !isTextBlock(block) || block.text === "") return [message]
  const facts = { turn_id: turn.id, message_id: message.payload.uuid, index: 0, final: true, delta: block.text }
  const { outcome, events } = yield* fire("MessageDisplay", facts)
  const { displayContent: text } = outcome
  if (text === undefined || text === block.text) return [...events, message]
  return [...events, withheld(message, text), ...shown(message, { ...block, text })]
})

const withheld = ({ turn = null, payload }: Message, text: string): NewEvent => ({
  name: EventNames.messageWithheld,
  // Can't fail: a message is a plain object.
  payload: { event: "sdk:assistant", message: payload as unknown as Readonly<Record<string, unknown>>, shown: text },
  turn,
})

const shown = (message: Message, block: Message["payload"]["message"]["content"][number]): ReadonlyArray<NewEvent> =>
  isBlank(block)
    ? []
    : [{ ...message, payload: { ...message.payload, message: { ...message.payload.message, content: [block] } } }]
