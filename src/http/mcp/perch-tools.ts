// Perch's own tools at `/mcp`: run a prompt, read its result, answer its asks. Declares the input and output of each tool;
// `perch-calls.ts` runs the calls.
// Invariant: an input with an unknown field is refused, and every list and text has a bound.
import * as z from "zod"
import { UUID } from "../../schemas/ids.ts"
import { TEXT_LIMIT } from "../../schemas/api/prompt-size.ts"
import type { Scope } from "../../schemas/access.ts"
import { PermissionMode } from "../../schemas/sdk/options/permissions.ts"
import { TurnState } from "../../schemas/rpc/turns.ts"

/** Seconds. By default a client of the official MCP SDK waits a minute for a response. */
const DEFAULT_WAIT = 45
const MAX_WAIT_S = 600

/** Ids of sessions and turns may be any UUID, of whatever version. */
const uuid = z.string().regex(UUID, "Expected a lower-case UUID")
const session = uuid.optional().describe("The session; by default the one in ?session= of this server's URL.")
const turn = uuid.describe("The turn, as perch_run returned it.")
const wait = (standard: number) =>
  z
    .int()
    .min(0)
    .max(MAX_WAIT_S)
    .default(standard)
    .describe(`Seconds to wait until the turn has ended or needs an answer. ${standard} without it.`)

const Ask = z.object({
  request_id: z.string().describe("Answer with perch_answer under this id."),
  kind: z.string().describe("permission, question, plan, client_tool, outcome or elicitation."),
  turn_id: z.string(),
  tool_name: z.string(),
  input: z.record(z.string(), z.unknown()).describe("The call, the questions, or the form that is asked about."),
  expires_at: z.string(),
})

const Run = z.object({
  session_id: z.string(),
  turn_id: z.string(),
  status: z
    .enum(TurnState.literals)
    .describe("While queued or running, call perch_result. Queued with something pending, it waits for that answer."),
  result: z.string().nullable().describe("The final text, once the turn has ended."),
  errors: z.array(z.string()).describe("Why the turn failed, if it did."),
  cost_usd: z.number().nullable(),
  pending: z.array(Ask).describe("The asks that the turn waits for; answer them with perch_answer."),
})
export type Run = z.infer<typeof Run>

/** The tools, each with the scope that a key needs to call it. */
export const PERCH_TOOLS = {
  perch_run: {
    title: "Run a prompt",
    description:
      "Gives a task to an agent with its own workspace, in a new or an existing session. Returns when the turn has ended, when it needs an answer (status requires_action), or after wait_seconds with a handle for perch_result.",
    scope: "sessions:write",
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
    input: z.strictObject({
      prompt: z.string().min(1).max(TEXT_LIMIT).describe("What the agent should do."),
      session_id: session.describe(
        "The session to continue; by default the one in ?session= of this server's URL, or a new one.",
      ),
      title: z.string().max(500).optional().describe("The title of a new session."),
      model: z.string().min(1).max(200).optional().describe("The model of this turn."),
      permission_mode: z
        .enum(PermissionMode.literals)
        .optional()
        .describe(
          "How the agent's tool calls are permitted in this turn: acceptEdits lets it change files without asking.",
        ),
      max_turns: z.int().min(1).max(10_000).optional().describe("Maximum number of model requests in the turn."),
      wait_seconds: wait(DEFAULT_WAIT),
    }),
    output: Run,
  },
  perch_result: {
    title: "Read a result",
    description: "Returns a turn's status, and its final text once it has ended.",
    scope: "sessions:read",
    annotations: { readOnlyHint: true },
    input: z.strictObject({ session_id: session, turn_id: turn, wait_seconds: wait(0) }),
    output: Run,
  },
  perch_asks: {
    title: "List open asks",
    description: "Lists the open asks of a session: permissions, questions, plans, and questions of MCP servers.",
    scope: "sessions:read",
    annotations: { readOnlyHint: true },
    input: z.strictObject({ session_id: session }),
    output: z.object({ pending: z.array(Ask) }),
  },
  perch_answer: {
    title: "Answer an ask",
    description:
      'Answers an ask by its kind. permission: {"behavior":"allow"} or {"behavior":"deny","message":"…"}. question: {"answers":{"QUESTION":"LABEL or text"}}. plan: as permission. client_tool: {"content":"…"}. elicitation: {"action":"accept","content":{…}}, {"action":"decline"} or {"action":"cancel"}. The turn goes on; read it with perch_result.',
    scope: "answer",
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
    input: z.strictObject({
      session_id: session,
      request_id: z.string().min(1).max(200).describe("The ask's id, as in perch_asks or pending."),
      answer: z.record(z.string(), z.unknown()).describe("The answer, in the form that the ask's kind requires."),
    }),
    output: z.object({ request_id: z.string(), status: z.literal("settled"), turn_id: z.string() }),
  },
  perch_stop: {
    title: "Stop a turn",
    description: "Stops a running turn, or cancels a queued one.",
    scope: "sessions:write",
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
    input: z.strictObject({ session_id: session, turn_id: turn }),
    output: z.object({ stopped: z.boolean() }),
  },
} as const satisfies Readonly<
  Record<
    string,
    {
      readonly title: string
      readonly description: string
      readonly scope: Scope
      readonly annotations: Readonly<Record<string, boolean>>
      readonly input: z.ZodObject
      readonly output: z.ZodObject
    }
  >
>

export type PerchTool = keyof typeof PERCH_TOOLS
export type PerchInput<N extends PerchTool> = z.infer<(typeof PERCH_TOOLS)[N]["input"]>
export type PerchOutput<N extends PerchTool> = z.infer<(typeof PERCH_TOOLS)[N]["output"]>
