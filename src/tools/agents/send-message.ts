// SendMessage: a message for an agent in; out, whether it reaches the agent as it works, or lets it go on after its end.
// Invariant: the loop delivers it; the tool itself only says what a call may be.
import * as Effect from "effect/Effect"
import { SendMessageInput } from "../../schemas/sdk/tools/send-message-tool.ts"
import { makeTool } from "../make-tool.ts"

export const sendMessageTool = makeTool(SendMessageInput, {
  name: "SendMessage",
  description:
    "Sends a message to an agent that you started. A running agent receives it after its next calls; an agent that has ended resumes " +
    "with it in the background, with its whole conversation, and reports again in a later message.",
  readOnly: () => false,
  edits: () => false,
  outside: () => false,
  internal: true,
  byAgent: true,
  destructive: false,
  idempotent: false,
  paths: () => [],
  run: () => Effect.die(new Error("a subagent carries this call out")),
})
