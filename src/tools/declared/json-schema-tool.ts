// Receives a tool whose input is described by a JSON Schema from outside; returns it with the decoder for it.
// Invariant: what the model is shown is what the sender wrote, in the form that the Messages API takes, and input that
// does not fit is refused with a line for each thing that is wrong.
import * as Effect from "effect/Effect"
import type { ReceivedSchema } from "../../schemas/agent-schema/json-schema-dialect.ts"
import { invalidInput, issueLines } from "../make-tool.ts"
import type { Tool } from "../tool.ts"

/** Input that fits a sent schema: an object, handed on as the model gave it. */
export type JsonInput = Readonly<Record<string, unknown>>

type Definition = Omit<Tool<JsonInput>, "agentSchema" | "decode" | "inputSchema">

/** Completes a tool's definition with what follows from its schema. */
export const jsonSchemaTool = (schema: ReceivedSchema, definition: Definition): Tool<JsonInput> => ({
  ...definition,
  inputSchema: schema.jsonSchema,
  decode: (input) => {
    const issues = schema.issuesOf(input)
    if (issues.length > 0) return Effect.fail(invalidInput(definition.name, issueLines(issues, input)))
    return Effect.succeed(input as JsonInput) // only objects have no issues
  },
})
