// Receives the events of asks; returns the control frames by which clients are asked, and by which an ask is withdrawn.
import type { AskOpened } from "../../schemas/log/ask-events.ts"
import { EventNames, type LogEvent } from "../../schemas/log/events.ts"

export type ControlFrame = Readonly<Record<string, unknown>>

/** `can_use_tool` for an ask; its request id is the ask's, so that an answer finds the ask. */
const canUseTool = (ask: AskOpened): ControlFrame => ({
  type: "control_request",
  request_id: ask.request_id,
  request: {
    subtype: "can_use_tool",
    tool_name: ask.tool_name,
    display_name: ask.display_name ?? ask.tool_name,
    input: ask.told_input ?? ask.input,
    ...(ask.description === undefined ? {} : { description: ask.description }),
    ...(ask.suggestions === undefined ? {} : { permission_suggestions: ask.suggestions }),
    ...(ask.blocked_path === undefined ? {} : { blocked_path: ask.blocked_path }),
    ...(ask.decision_reason === undefined ? {} : { decision_reason: ask.decision_reason }),
    ...(ask.decision_reason_type === undefined ? {} : { decision_reason_type: ask.decision_reason_type }),
    ...(ask.matched_ask_rule === undefined ? {} : { matched_ask_rule: ask.matched_ask_rule }),
    ...(ask.mcp_server === undefined ? {} : { mcp_server: ask.mcp_server }),
    ...(ask.kind === "permission" ? {} : { requires_user_interaction: true }),
    tool_use_id: ask.tool_use_id,
    ...(ask.agent_id === undefined ? {} : { agent_id: ask.agent_id }),
  },
})

/** An elicitation of an MCP server, as the official SDK's `onElicitation` receives it. */
const elicitation = ({ request_id, input }: AskOpened): ControlFrame => ({
  type: "control_request",
  request_id,
  request: { subtype: "elicitation", ...input },
})

const frameOf = (ask: AskOpened): ControlFrame => (ask.kind === "elicitation" ? elicitation(ask) : canUseTool(ask))

/** The frames of open asks. A client tool that waits for its result has none: `canUseTool` could not return it. */
export const openFrames = (asks: ReadonlyArray<{ readonly ask: AskOpened }>): ReadonlyArray<ControlFrame> =>
  asks.filter(({ ask }) => ask.kind !== "client_tool").map(({ ask }) => frameOf(ask))

/** The same, with permissions and elicitations apart. */
export const pendingFrames = (asks: ReadonlyArray<{ readonly ask: AskOpened }>) => {
  const isElicitation = ({ ask }: { readonly ask: AskOpened }) => ask.kind === "elicitation"
  return {
    permissions: openFrames(asks.filter((one) => !isElicitation(one))),
    elicitations: openFrames(asks.filter(isElicitation)),
  }
}

/** The frame that an event implies for clients, and the client that is not sent it; null when there is none. */
export const controlFrameOf = (
  event: LogEvent,
): { readonly frame: ControlFrame; readonly except: string | undefined } | null => {
  if (event.name === EventNames.askOpened) {
    const [frame] = openFrames([{ ask: event.payload }])
    return frame === undefined ? null : { frame, except: undefined }
  }
  if (event.name !== EventNames.askSettled) return null
  const { request_id, client, answer } = event.payload
  // The result of a client tool, for which no frame was sent.
  if (!("behavior" in answer) && !("action" in answer)) return null
  return { frame: { type: "control_cancel_request", request_id }, except: client }
}
