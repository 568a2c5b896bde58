// The parameters of requests to `/mcp`. Receives the transport of a connected server; answers requests whose parameters are
// invalid: a cursor of a list that has one page, and what the protocol's schema of the method refuses.
// Invariant: a cursor that no page has returned is an error, never the first page again, which a client would read for ever.
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import type { JSONRPCMessage, JSONRPCRequest } from "@modelcontextprotocol/sdk/types.js"
import { isPlainObject } from "../schemas/plain-object.ts"
import { INTERNAL_ERROR, INVALID_PARAMS } from "./error-codes.ts"

const ONE_PAGE: ReadonlySet<string> = new Set(["tools/list", "prompts/list", "resources/templates/list"])

/** Call it once the server is connected. */
export const checkParams = (transport: Transport): void => {
  const { onmessage: receive } = transport
  const send = transport.send.bind(transport)
  const requests = new Map<unknown, JSONRPCRequest>()
  transport.onmessage = (message, extra) => {
    if (!("method" in message) || !("id" in message)) return receive?.(message, extra)
    const { id, method, params } = message
    requests.set(id, message)
    if (!ONE_PAGE.has(method) || !isPlainObject(params) || typeof params["cursor"] !== "string") {
      return receive?.(message, extra)
    }
    const error = { code: INVALID_PARAMS, message: `cursor: ${method} has one page, so it takes no cursor` }
    transport.send({ jsonrpc: "2.0", id, error }).catch((cause: unknown) => {
      transport.onerror?.(cause instanceof Error ? cause : new Error(String(cause)))
    })
  }
  transport.send = async (message, options) => send(await withCause(message, requests), options)
}

/** The MCP SDK reports parameters that its schema refuses as an internal error. */
const withCause = async (
  message: JSONRPCMessage,
  requests: ReadonlyMap<unknown, JSONRPCRequest>,
): Promise<JSONRPCMessage> => {
  if (!("error" in message) || message.error.code !== INTERNAL_ERROR) return message
  const { ClientRequestSchema } = await import("@modelcontextprotocol/sdk/types.js")
  const request = requests.get(message.id)
  const schema = ClientRequestSchema.options.find(({ shape }) => shape.method.value === request?.method)
  const issue = schema?.safeParse(request).error?.issues[0]
  if (issue === undefined) return message
  return { ...message, error: { code: INVALID_PARAMS, message: `${issue.path.join(".")}: ${issue.message}` } }
}
