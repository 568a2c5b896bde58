// Receives a tool whose input is described by an external JSON Schema; returns it with a decoder for that schema.
// Invariant: the model is shown the sender's schema, in the form that the Messages API accepts, and invalid input is refused
// with one line per issue.
import * as Effect from "effect/Effect"
import type { ReceivedSchema } from "../../schemas/agent-schema/json-schema-dialect.ts"
import { invalidInput, issueLines } from "../make-tool.ts"
import type { Tool } from "../tool.ts"

/** Input that is valid for a received schema: an object, passed on unchanged. */
export type JsonInput = Readonly<Record<string, unknown>>

type Definition = Omit<Tool<JsonInput>, "agentSchema" | "decode" | "inputSchema">

/** Completes a tool's definition with the fields that derive from its schema. */
export const jsonSchemaTool = (schema: ReceivedSchema, definition: Definition): Tool<JsonInput> => ({
  ...definition,
  inputSchema: schema.jsonSchema,
  decode: (input) => {
    const issues = schema.issuesOf(input)
    if (issues.length > 0) return Effect.fail(invalidInput(definition.name, issueLines(issues, input)))
    return Effect.succeed(input as JsonInput) // only objects have no issues
  },
})
