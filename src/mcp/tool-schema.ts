// Receives the input schema of an MCP tool from its server; returns the result of `readJsonSchema`.
// Invariant: each schema object is read once, however often its tool is made, since reading takes a few tenths of a
// millisecond.
import type * as Result from "effect/Result"
import {
  type JsonSchemaDialectError,
  readJsonSchema,
  type ReceivedSchema,
} from "../schemas/agent-schema/json-schema-dialect.ts"

type Read = Result.Result<ReceivedSchema, JsonSchemaDialectError>

const known = new WeakMap<object, Read>()

/** The schema, or every reason why the Messages API would refuse it. */
export const toolSchema = (inputSchema: Readonly<Record<string, unknown>>): Read => {
  const before = known.get(inputSchema)
  if (before !== undefined) return before
  const read = readJsonSchema(inputSchema)
  known.set(inputSchema, read)
  return read
}
