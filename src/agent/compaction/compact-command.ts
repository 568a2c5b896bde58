// Receives a turn whose prompt is `/compact`; sums the conversation up and writes the turn's first events.
// Invariant: as the official SDK, `system/init` comes behind the compaction. A turn that a crash cut off before that begins
// anew, and its conversation is still whole.
import * as Effect from "effect/Effect"
import type { MessagesApi } from "../../model/messages-api.ts"
import type { CommandInvoked } from "../../schemas/log/command-events.ts"
import { EventNames, type NewEvent } from "../../schemas/log/events.ts"
import { isOverBudget } from "../conclude.ts"
import { stamp } from "../calls/hook-events.ts"
import { localAnswerMessage, localOutputMessage } from "../messages/sdk-messages.ts"
import type { CallServices, Turn } from "../ports.ts"
import type { Block } from "../transcript/sent-messages.ts"
import { CANCELLED, cancelledState, compact } from "./compact.ts"
import { NOTHING } from "./compaction-plan.ts"

type Lead = ReadonlyArray<Readonly<Record<string, unknown>>>

/** The events of a turn's beginning, on either side of `system/init`. */
export interface Beginning {
  readonly before: ReadonlyArray<NewEvent>
  readonly init: () => NewEvent
  readonly after: ReadonlyArray<NewEvent>
  /** What the prompt has before the command. As the official SDK: it is part of the next prompt. */
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
  const write = (events: ReadonlyArray<NewEvent>) => turn.begin([...begin.before, ...events], { asks: false })
  const failed = (text: string): ReadonlyArray<NewEvent> => [
    localAnswerMessage(stamp(turn), text, { command: "compact", args }, true),
  ]
  // As the official SDK: what is empty behind another turn is a compaction that fails, as after `/clear`.
  if (turn.first === "startup" && turn.memory.transcript.last() === undefined) {
    const text = `Error: ${NOTHING}`
    // As the official SDK: the text is a message, and no result.
    return yield* write([invoked(""), begin.init(), ...begin.after, ...failed(text)])
  }
  if (isOverBudget(turn)) {
    const text = "The budget of the session is used up, so no summary was asked for."
    return yield* write([invoked(text), begin.init(), ...begin.after, ...failed(text)])
  }
  const instructions = args.trim()
  const cancelled = Effect.suspend(() =>
    write([cancelledState(turn), invoked(""), begin.init(), ...begin.after, ...failed(CANCELLED)]),
  )
  const made = yield* compact("manual", instructions === "" ? null : instructions).pipe(
    Effect.onInterrupt(() => cancelled),
  )
  const { closing } = made
  if (made.failed !== undefined) {
    const events = [invoked(made.failed), begin.init(), ...begin.after, ...failed(made.failed)]
    return yield* write([...closing, ...events])
  }
  const done = localOutputMessage(stamp(turn), ["Compacted", ...made.says].join("\n"))
  const restart = made.restart.map((event) => followedBy(event, begin.lead))
  const events = [...closing, invoked("", []), begin.init(), ...begin.after, ...restart, done]
  return yield* write(events)
})

/** The conversation that begins anew, with these blocks of the user at its end. */
const followedBy = (event: NewEvent, lead: Lead): NewEvent => {
  if (event.name !== EventNames.conversationRestarted || lead.length === 0) return event
  // The route checked that the prompt's blocks are content blocks.
  const blocks = lead as ReadonlyArray<Block>
  const messages = [...event.payload.messages, { role: "user" as const, content: blocks }]
  return { ...event, payload: { ...event.payload, messages } }
}
