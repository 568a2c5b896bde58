// Receives a tool that a session's clients declared; returns the tool that the model is offered.
// Invariant: it never runs here. The call waits for the result that a client posts, however long that takes.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { readJsonSchema } from "../../schemas/agent-schema/json-schema-dialect.ts"
import type { ClientTool } from "../../schemas/sdk/tools/client-tools.ts"
import { jsonSchemaTool } from "./json-schema-tool.ts"
import type { Tool } from "../tool.ts"

/** Null for a schema that can't be used; such a declaration is refused where a session receives it. */
export const clientTool = ({ name, description, inputSchema }: ClientTool): Tool | null => {
  const read = readJsonSchema(inputSchema)
  if (Result.isFailure(read)) return null
  const tool = jsonSchemaTool(read.success, {
    name,
    description,
    byClient: true,
    readOnly: () => false,
    // Several may wait at once: each has its own request.
    concurrent: () => true,
    edits: () => false,
    outside: () => false,
    // The client decides itself whether it does what is asked; rules and hooks are applied before it is called.
    internal: true,
    destructive: false,
    idempotent: false,
    paths: () => [],
    run: () => Effect.die(new Error("a client's tool runs in the client")),
  })
  // Only what its own `decode` gave ever reaches a tool.
  return tool as unknown as Tool
}
