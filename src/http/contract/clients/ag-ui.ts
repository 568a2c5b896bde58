// The row of the route table for clients of the AG-UI protocol.
import { RunAgentInput } from "../../../schemas/api/ag-ui/run-input.ts"
import { PROMPT_BODY } from "../../../schemas/api/prompt-size.ts"
import { route } from "../../route.ts"
import { AgUiEvent } from "../view-frames.ts"

export const runAgUi = route({
  id: "runAgUi",
  method: "post",
  path: "/v1/ag-ui",
  summary: "Run the agent for an AG-UI client",
  description:
    "For the `HttpAgent` of `@ag-ui/client`. The thread is a session, which is created if there is none with that id; the run is a turn, or continues a turn that waits for answers to interrupts (`resume`) or for results of the app's own tools (`tool` messages). " +
    "The response streams AG-UI's events until the run ends. A request with the same run streams it again from the start. 409 for a prompt while the thread waits for answers that the run does not contain.",
  tag: "query",
  auth: "sessions:write",
  body: RunAgentInput,
  bodyLimit: PROMPT_BODY,
  answers: {
    200: {
      description: "The events of the run.",
      events: AgUiEvent,
      headers: ["perch-session-id", "perch-turn-id"],
    },
  },
  errors: ["conflict_error", "unprocessable_error"],
  example: {
    threadId: "support-4711",
    runId: "0199a000-0000-4000-8000-000000000001",
    messages: [{ id: "1", role: "user", content: "List the files" }],
    tools: [],
    context: [],
  },
})
