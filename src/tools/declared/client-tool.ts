// Receives a tool that a session's clients declared; returns the tool for the model.
// Invariant: it never runs here. The call waits for the result that a client posts, however long that takes.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { readJsonSchema } from "../../schemas/agent-schema/json-schema-dialect.ts"
import type { ClientTool } from "../../schemas/sdk/tools/client-tools.ts"
import { INTERNAL } from "../make-tool.ts"
import { jsonSchemaTool } from "./json-schema-tool.ts"
import type { Tool } from "../tool.ts"

/** Returns null for an unusable schema; such a declaration was already refused when the session received it. */
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
    // The client itself decides whether to run the call; rules and hooks are applied before.
    ...INTERNAL,
    idempotent: false,
    run: () => Effect.die(new Error("a client's tool runs in the client")),
  })
  // A tool only ever receives what its own `decode` returned.
  return tool as unknown as Tool
}
