// SendMessage: receives a message for an agent; returns whether it is delivered to the running agent or resumes an ended one.
// Invariant: the loop delivers the message; this tool only declares its calls.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { SendMessageInput, SendMessageOutput } from "../../schemas/sdk/tools/send-message-tool.ts"
import { INTERNAL, makeTool } from "../make-tool.ts"
import type { ToolOutcome } from "../tool.ts"

export const sendMessageTool = makeTool(SendMessageInput, {
  name: "SendMessage",
  description:
    "Sends a message to an agent that you started. A running agent receives it after its next calls; an agent that has ended resumes " +
    "with it in the background, with its whole conversation, and reports again in a later message.",
  readOnly: () => false,
  ...INTERNAL,
  byAgent: true,
  idempotent: false,
  ignoresUnknown: true,
  run: () => Effect.die(new Error("the loop delivers the message of this call")),
  contentOf: (output) => (isOutput(output) ? sentContent(output) : null),
})

const isOutput = Schema.is(SendMessageOutput)

/** As the official SDK: the content for the model leaves out `revivedAgentId` and `display`. */
export const sentContent = (output: SendMessageOutput): ToolOutcome["content"] => {
  const { revivedAgentId: _, display: _display, ...shown } = output
  return [{ type: "text", text: JSON.stringify(shown) }]
}
