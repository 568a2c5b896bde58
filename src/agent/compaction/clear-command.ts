// Receives a turn whose prompt is `/clear`; starts an empty conversation, and appends the turn's first events.
// Invariant: the session keeps its id, its files and its log; the model gets nothing of the earlier conversation.
import * as Effect from "effect/Effect"
import { EventNames, type NewEvent } from "../../schemas/log/events.ts"
import { fire, stamp } from "../calls/hook-events.ts"
import { runningTasksMessage, sdkEvent } from "../messages/sdk-messages.ts"
import type { CallServices, Turn } from "../ports.ts"
import type { Beginning } from "./compact-command.ts"

export const runClearCommand = Effect.fnUntraced(function* (
  turn: Turn,
  args: string,
  { before, init, after, lead }: Beginning,
): Effect.fn.Return<void, never, CallServices> {
  const ended = yield* fire("SessionEnd", { reason: "clear" })
  const began = yield* fire("SessionStart", { source: "clear" })
  const events: ReadonlyArray<NewEvent> = [
    ...before,
    ...ended.events,
    {
      name: EventNames.commandInvoked,
      payload: {
        name: "clear",
        arguments: args,
        source: "builtin",
        answer: "",
        local: true,
        ...(lead.length === 0 ? {} : { prompt: lead }),
      },
      turn: turn.id,
    },
    resetMessage(turn),
    runningTasksMessage(stamp(turn), turn.background?.running() ?? []),
    { name: EventNames.conversationRestarted, payload: { cause: "clear", messages: [] }, turn: turn.id },
    // As the official SDK: messages of SessionStart hooks are not sent to clients.
    ...began.record,
    init(),
    ...after,
  ]
  yield* turn.begin(events, { sendsPrompt: false })
})

const resetMessage = (turn: Turn): NewEvent => {
  const { sessionId, at, uuid } = stamp(turn)
  return sdkEvent(turn.id, "sdk:conversation_reset", {
    new_conversation_id: turn.newUuid(),
    uuid,
    trigger: "clear",
    user_message_uuid: turn.id,
    timestamp: new Date(at).toISOString(),
    session_id: sessionId,
  })
}
