// Receives a turn that is being stopped; returns a result for every call that has none.
import type { NewEvent } from "../../schemas/log/events.ts"
import { stamp, type Stamped } from "../calls/hook-events.ts"
import type { Turn } from "../ports.ts"
import { toolResultMessage } from "./sdk-messages.ts"

export const REJECTED_TEXT =
  "The user rejected this tool call, and it was not completed. Stop here and wait for the user's next message."

/** The text of `tool_use_result`, for clients. */
export const REJECTED_OUTPUT = "The user rejected this tool call"

/** Results for all open calls. A call with an open ask counts as refused; its ask is settled before. */
export const rejections = (turn: Stamped & Pick<Turn, "memory">): ReadonlyArray<NewEvent> =>
  turn.memory.transcript
    .openCalls()
    .map((use) =>
      toolResultMessage(
        stamp(turn),
        use,
        { content: REJECTED_TEXT, isError: true, output: REJECTED_OUTPUT },
        { notExecuted: "user-rejected" },
      ),
    )
