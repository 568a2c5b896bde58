// Receives a turn whose prompt is `/compact`; summarizes the conversation and appends the turn's first events.
// Invariant: as in the official SDK, `system/init` follows the compaction. A turn that a crash cut off before that starts
// again with the unchanged conversation.
import * as Effect from "effect/Effect"
import type { MessagesApi } from "../../model/messages-api.ts"
import type { CommandInvoked } from "../../schemas/log/command-events.ts"
import { EventNames, type NewEvent } from "../../schemas/log/events.ts"
import { isOverBudget } from "../conclude.ts"
import { stamp } from "../calls/hook-events.ts"
import { localAnswerMessage, localOutputMessage } from "../messages/sdk-messages.ts"
import type { CallServices, Turn } from "../ports.ts"
import type { Block } from "../../schemas/sdk/messages/blocks.ts"
import { CANCELLED, cancelledState, compact } from "./compact.ts"
import { NOTHING } from "./compaction-ranges.ts"

type Lead = ReadonlyArray<Block>

/** A turn's first events, before and after `system/init`. */
export interface Beginning {
  readonly before: ReadonlyArray<NewEvent>
  readonly init: () => NewEvent
  readonly after: ReadonlyArray<NewEvent>
  /** Blocks of the prompt before the command. As the official SDK: they become part of the next prompt. */
  readonly lead: Lead
}

export const runCompactCommand = Effect.fnUntraced(function* (
  turn: Turn,
  args: string,
  begin: Beginning,
): Effect.fn.Return<void, never, CallServices | MessagesApi> {
  const called = { name: "compact", arguments: args, source: "builtin", local: true } as const
  const invoked = (answer: string, lead = begin.lead): NewEvent => ({
    name: EventNames.commandInvoked,
    payload: { ...called, answer, ...(lead.length === 0 ? {} : { prompt: lead }) } satisfies CommandInvoked,
    turn: turn.id,
  })
  const write = (events: ReadonlyArray<NewEvent>) => turn.begin([...begin.before, ...events], { sendsPrompt: false })
  const fail = (text: string, answer = text, closing: ReadonlyArray<NewEvent> = []) => {
    const message = localAnswerMessage(stamp(turn), text, { command: "compact", args }, "failed")
    return write([...closing, invoked(answer), begin.init(), ...begin.after, message])
  }
  // As the official SDK: in a new session nothing is compacted. When the conversation is empty later, as after `/clear`, the
  // compaction itself fails.
  if (turn.startSource === "startup" && turn.memory.transcript.last() === undefined) {
    // As the official SDK: the text is sent as a message; the turn's result is empty.
    return yield* fail(`Error: ${NOTHING}`, "")
  }
  if (isOverBudget(turn)) return yield* fail("The session's budget is used up, so no summary was requested.")
  const instructions = args.trim()
  const cancelled = Effect.suspend(() => fail(CANCELLED, "", [cancelledState(turn)]))
  const made = yield* compact("manual", { instructions: instructions === "" ? null : instructions }).pipe(
    Effect.onInterrupt(() => cancelled),
  )
  const { closing } = made
  if (made.failed !== undefined) return yield* fail(made.failed, made.failed, closing)
  const done = localOutputMessage(stamp(turn), ["Compacted", ...made.says].join("\n"))
  const restart = made.restart.map((event) => followedBy(event, begin.lead))
  const events = [...closing, invoked("", []), begin.init(), ...begin.after, ...restart, done]
  return yield* write(events)
})

/** The event that restarts the conversation, with these blocks of the user appended to its messages. */
const followedBy = (event: NewEvent, lead: Lead): NewEvent => {
  if (event.name !== EventNames.conversationRestarted || lead.length === 0) return event
  // The route checked that the prompt's blocks are content blocks.
  const blocks = lead as ReadonlyArray<Block>
  const messages = [...event.payload.messages, { role: "user" as const, content: blocks }]
  return { ...event, payload: { ...event.payload, messages } }
}
