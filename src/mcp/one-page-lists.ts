// The lists of `/mcp` that have one page. Receives the transport of a connected server; refuses requests for further pages.
// Invariant: a cursor that no page has returned is an error, never the first page again, which a client would read for ever.
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { isPlainObject } from "../schemas/plain-object.ts"
import { INVALID_PARAMS } from "./error-codes.ts"

const ONE_PAGE: ReadonlySet<string> = new Set(["tools/list", "prompts/list", "resources/templates/list"])

/** Call it once the server is connected. */
export const refuseCursors = (transport: Transport): void => {
  const { onmessage: receive } = transport
  transport.onmessage = (message, extra) => {
    if (!("method" in message) || !("id" in message) || !ONE_PAGE.has(message.method)) return receive?.(message, extra)
    const { id, method, params } = message
    if (!isPlainObject(params) || typeof params["cursor"] !== "string") return receive?.(message, extra)
    const error = { code: INVALID_PARAMS, message: `cursor: ${method} has one page, so it takes no cursor` }
    transport.send({ jsonrpc: "2.0", id, error }).catch((cause: unknown) => {
      transport.onerror?.(cause instanceof Error ? cause : new Error(String(cause)))
    })
  }
}
