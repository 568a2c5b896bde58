// Receives a call whose command takes long; emits, as the official SDK, that it runs as a task in the foreground, and its end.
// Invariant: nothing of this is stored: the call's result is in the log, and a restarted call is shown again.
import type { EphemeralEvent } from "../../schemas/log/events.ts"
import type { ShownTask } from "../../tools/bash/background-port.ts"
import type { ToolContext } from "../../tools/tool.ts"
import { systemMessage } from "../messages/sdk-messages.ts"
import type { Log, Turn } from "../ports.ts"
import type { ToolUse } from "../transcript/transcript.ts"
import { stamp } from "./hook-events.ts"

export const showTask =
  (log: Log["Service"], turn: Turn, use: ToolUse): NonNullable<ToolContext["showTask"]> =>
  (description) => {
    const id = `b${turn.newUuid().slice(-8)}`
    const runId = turn.newUuid()
    const named = { task_id: id, run_id: runId }
    const show = (subtype: "task_notification" | "task_started" | "task_updated", fields: object) => {
      const { name, payload } = systemMessage(stamp(turn), subtype, { ...named, ...fields })
      // The name is that of the payload's subtype.
      log.emit({ name, turn: turn.id, payload } as EphemeralEvent)
    }
    const call = { tool_use_id: use.id }
    show("task_started", {
      ...call,
      description,
      is_backgrounded: false,
      task_type: "local_bash",
      ...(turn.agent === undefined ? {} : { parent_task_id: turn.agent.id, owned_by_subagent: true }),
    })
    const end: ShownTask["end"] = (status) => {
      const killed = status === "killed"
      if (killed) show("task_updated", { patch: { status, end_time: turn.now() } })
      const notified = killed ? "stopped" : status
      show("task_notification", { ...call, status: notified, output_file: "", summary: description })
    }
    return { id, runId, end }
  }
