// Receives a request that a client's MCP server makes of us; asks hooks, then the client's user, and returns the response.
// Invariant: a server that asks is always answered, and what no client can answer is declined, never made up.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { JsonRpcMessage } from "../../schemas/sdk/options/mcp-config.ts"
import { fireOutsideTurn, type FireParts } from "../hooks/hooks-outside-turn.ts"

const Elicit = Schema.Struct({
  message: Schema.String,
  mode: Schema.optionalKey(Schema.Literals(["form", "url"])),
  url: Schema.optionalKey(Schema.String),
  elicitationId: Schema.optionalKey(Schema.String),
  requestedSchema: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
})

const Answer = Schema.Struct({
  action: Schema.Literals(["accept", "decline", "cancel"]),
  content: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
})
type Answer = typeof Answer.Type

const METHOD_NOT_FOUND = -32601
const INVALID_PARAMS = -32602

/** The JSON-RPC response to a server's own request. */
export const answerServer = async (
  parts: FireParts,
  server: string,
  message: Extract<JsonRpcMessage, { readonly method: string }> & { readonly id: string | number },
): Promise<Readonly<Record<string, unknown>>> => {
  const reply = (body: Readonly<Record<string, unknown>>) => ({ jsonrpc: "2.0", id: message.id, ...body })
  if (message.method === "ping") return reply({ result: {} })
  if (message.method !== "elicitation/create") {
    return reply({ error: { code: METHOD_NOT_FOUND, message: "Perch does not do this for MCP servers" } })
  }
  const asked = Schema.decodeUnknownResult(Elicit)(message.params)
  if (asked._tag === "Failure") {
    return reply({ error: { code: INVALID_PARAMS, message: "an elicitation needs a message and a schema or a url" } })
  }
  return reply({ result: await elicit(parts, server, asked.success) })
}

const elicit = async (parts: FireParts, server: string, asked: typeof Elicit.Type): Promise<Answer> => {
  const facts = {
    mcp_server_name: server,
    message: asked.message,
    ...(asked.mode === undefined ? {} : { mode: asked.mode }),
    ...(asked.url === undefined ? {} : { url: asked.url }),
    ...(asked.elicitationId === undefined ? {} : { elicitation_id: asked.elicitationId }),
    ...(asked.requestedSchema === undefined ? {} : { requested_schema: asked.requestedSchema }),
  }
  const before = await fireOutsideTurn(parts, "Elicitation", facts)
  parts.core.append([before.event])
  const refused = before.outcome.block === null ? null : DECLINED
  const given = refused ?? before.outcome.elicitation ?? (await askClient(parts, facts))
  const { message: _m, url: _u, requested_schema: _s, ...about } = facts
  const after = await fireOutsideTurn(parts, "ElicitationResult", { ...about, ...given })
  parts.core.append([after.event])
  return after.outcome.block === null ? (after.outcome.elicitation ?? given) : DECLINED
}

const DECLINED: Answer = { action: "decline" }

/** A client that has no way to ask its user, or is gone, declines. */
const askClient = async (
  { core: { clients, context } }: FireParts,
  facts: Readonly<Record<string, unknown>>,
): Promise<Answer> => {
  const { owner } = clients
  if (owner === null) return { action: "decline" }
  const asked = await Effect.runPromise(
    Effect.result(clients.request(owner, context.newUuid(), { subtype: "elicitation", ...facts })),
  )
  const answer = Schema.decodeUnknownResult(Answer)(asked._tag === "Success" ? asked.success : undefined)
  return answer._tag === "Success" ? answer.success : { action: "decline" }
}
