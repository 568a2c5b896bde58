// Receives a call whose command takes long; emits, as the official SDK, that it runs as a task in the foreground, and its end.
// Invariant: nothing of this is stored: the call's result is in the log, and a restarted call is shown again.
import type { EphemeralEvent } from "../../schemas/log/events.ts"
import type { ToolContext } from "../../tools/tool.ts"
import { systemMessage } from "../messages/sdk-messages.ts"
import type { Log, Turn } from "../ports.ts"
import type { ToolUse } from "../transcript/transcript.ts"
import { stamp } from "./hook-events.ts"

export const showTask =
  (log: Log["Service"], turn: Turn, use: ToolUse): NonNullable<ToolContext["showTask"]> =>
  (description) => {
    const id = `b${turn.newUuid().slice(-8)}`
    const show = (subtype: "task_notification" | "task_started", fields: object) => {
      const { name, payload } = systemMessage(stamp(turn), subtype, { task_id: id, tool_use_id: use.id, ...fields })
      // The name is that of the payload's subtype.
      log.emit({ name, turn: turn.id, payload } as EphemeralEvent)
    }
    show("task_started", {
      description,
      is_backgrounded: false,
      task_type: "local_bash",
      ...(turn.agent === undefined ? {} : { parent_task_id: turn.agent.id }),
    })
    return { id, end: (status) => show("task_notification", { status, output_file: "", summary: description }) }
  }
