// What a client that connects later receives in addition to the log: the answer that streams now, and the requests that wait for it.
import type { RawStreamEvent } from "../../model/messages-api.ts"
import type { PayloadOf } from "../../schemas/log/event-payloads.ts"
import type { SessionCore } from "../core.ts"
import type { TurnRunner } from "../turns/turn-runner.ts"
import { type ControlFrame, openFrames } from "./ask-frames.ts"

interface RunningAnswer {
  readonly turn: string
  readonly events: ReadonlyArray<RawStreamEvent>
  readonly wrap: (event: RawStreamEvent) => PayloadOf<"sdk:stream_event">
}

/** The stream events of the running answer so far; null when none streams. */
export const runningAnswer = ({ current }: Pick<TurnRunner, "current">, id: string): RunningAnswer | null => {
  if (current === null || !current.live.open) return null
  return {
    turn: current.turn,
    events: current.live.decoder.partial(),
    wrap: (event) => ({
      type: "stream_event",
      event,
      session_id: id,
      parent_tool_use_id: null,
      uuid: crypto.randomUUID(),
    }),
  }
}

/** The requests that a client which has reconnected has not answered; `answers`: whether it may answer asks. */
export const unanswered = (
  { askStore, clients }: Pick<SessionCore, "askStore" | "clients">,
  client: string,
  answers: boolean,
): ReadonlyArray<ControlFrame> => [...(answers ? openFrames(askStore.open) : []), ...clients.unanswered(client)]
