// The schema of an interrupt's answer against what the ask takes: a client that builds its form from the schema is understood.
import { Ajv2020 } from "ajv/dist/2020.js"
import { describe, expect, it } from "vitest"
import type { AskKind, AskOpened } from "../../../src/schemas/log/ask-events.ts"
import { readAnswer } from "../../../src/session/asks/ask-answers.ts"
import { answerSchema } from "../../../src/views/ag-ui/answer-schema.ts"
import { answerOf } from "../../../src/views/ag-ui/interrupts.ts"

const ajv = new Ajv2020({ strict: false })

const askOf = (kind: AskKind, input: Record<string, unknown> = {}): AskOpened => ({
  request_id: crypto.randomUUID(),
  kind,
  tool_name: "Tool",
  tool_use_id: "toolu_1",
  input,
  expires_at: 0,
})

const option = (label: string) => ({ label, description: label })
const questions = [
  { question: "Which?", header: "Which", multiSelect: false, options: [option("A"), option("B")] },
  { question: "What else?", header: "Else", multiSelect: true, options: [option("C"), option("D")] },
]
const requested_schema = {
  type: "object",
  properties: { name: { type: "string" }, age: { type: "integer" } },
  required: ["name"],
}

const PERMISSIONS: ReadonlyArray<unknown> = [
  { behavior: "allow" },
  { behavior: "deny" },
  { behavior: "deny", message: "Not today." },
  { behavior: "allow", updatedInput: { file_path: "/workspace/b.txt" } },
  { behavior: "allow", message: "Fine." },
  { behavior: "deny", updatedInput: {} },
  { behavior: "perhaps" },
  {},
]

const ASKS: ReadonlyArray<readonly [string, AskOpened, ReadonlyArray<unknown>]> = [
  ["a permission", askOf("permission"), PERMISSIONS],
  [
    "a plan",
    askOf("plan", { plan: "Do it" }),
    [
      ...PERMISSIONS.slice(0, 3),
      { behavior: "allow", message: "Fine." },
      { behavior: "allow", permissionMode: "acceptEdits" },
      { behavior: "allow", permissionMode: "yolo" },
      { behavior: "deny", permissionMode: "plan" },
    ],
  ],
  [
    "a question",
    askOf("question", { questions }),
    [
      { answers: { "Which?": "A", "What else?": ["C", "D"] } },
      { answers: { "What else?": "C, D" } },
      { answers: {} },
      { answers: { "Which other?": "A" } },
      { answers: { "What else?": [] } },
      {},
    ],
  ],
  [
    "a question of an MCP server",
    askOf("elicitation", { mode: "form", requested_schema }),
    [
      { action: "accept", content: { name: "Ada", age: 36 } },
      { action: "accept", content: { age: 36 } },
      { action: "accept", content: { name: "Ada", city: "London" } },
      { action: "accept" },
      { action: "decline" },
      { action: "cancel" },
      { action: "decline", content: {} },
    ],
  ],
  [
    "a page to visit",
    askOf("elicitation", { mode: "url", url: "https://example.com/" }),
    [{ action: "accept" }, { action: "decline" }, { action: "accept", content: {} }],
  ],
  [
    "an unknown outcome",
    askOf("outcome"),
    [{ content: "Done." }, { content: "It failed.", is_error: true }, { is_error: true }],
  ],
]

describe("the schema of an interrupt's answer", () => {
  it.each(ASKS)("of %s describes what is taken, and nothing that is refused", (_title, ask, payloads) => {
    const matches = ajv.compile(answerSchema(ask))
    const described = payloads.filter((payload) => matches(payload))
    const taken = payloads.filter(
      (payload) => "answer" in readAnswer(ask, answerOf(ask.kind, { status: "resolved", payload })),
    )
    expect(described).toEqual(taken)
    expect(described.length).toBeGreaterThan(1)
  })
})

it("an answer that denies without a reason has one for the model", () => {
  const denied = answerOf("permission", { status: "resolved", payload: { behavior: "deny" } })
  expect(denied).toEqual({ behavior: "deny", message: "The user declined this." })
})
