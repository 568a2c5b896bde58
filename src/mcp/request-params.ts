// The parameters of requests to `/mcp`. Receives the transport of a connected server and the body of its HTTP request; answers
// requests with invalid parameters: a cursor of a list that has one page, and what the protocol's schema of the method refuses.
// Invariant: a cursor that no page has returned is an error, never the first page again, which a client would read for ever.
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js"
import { isPlainObject } from "../schemas/plain-object.ts"
import { INTERNAL_ERROR, INVALID_PARAMS } from "./error-codes.ts"

/** The module of the MCP SDK that has the protocol's schemas. */
type Sdk = typeof import("@modelcontextprotocol/sdk/types.js")

const ONE_PAGE: ReadonlyArray<unknown> = ["tools/list", "prompts/list", "resources/templates/list"]

/** Call it once the server is connected. */
export const checkParams = (transport: Transport, body: unknown, sdk: Sdk): void => {
  const send = transport.send.bind(transport)
  const requests = [body].flat().filter(isPlainObject)
  transport.send = (message, options) => {
    const id = "id" in message ? message.id : undefined
    const request = requests.find((one) => one["method"] !== undefined && one["id"] === id)
    const why = request && refusalOf(request, message, sdk)
    return send(why ? { jsonrpc: "2.0", id, error: { code: INVALID_PARAMS, message: why } } : message, options)
  }
}

/** Why the parameters of an answered request are invalid. The MCP SDK reports what its schema refuses as an internal error. */
const refusalOf = (
  request: Readonly<Record<string, unknown>>,
  answer: JSONRPCMessage,
  sdk: Sdk,
): string | undefined => {
  const { method, params } = request
  if (ONE_PAGE.includes(method) && isPlainObject(params) && typeof params["cursor"] === "string") {
    return `cursor: ${String(method)} has one page, so it takes no cursor`
  }
  if (!("error" in answer) || answer.error.code !== INTERNAL_ERROR) return undefined
  const schema = sdk.ClientRequestSchema.options.find(({ shape }) => shape.method.value === method)
  const issue = schema?.safeParse(request).error?.issues[0]
  return issue && `${issue.path.join(".")}: ${issue.message}`
}
