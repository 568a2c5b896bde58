// Pipes to MCP servers: to a real one over the SDK's in-memory transport, and to one that answers by a script.
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js"
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js"
import { Effect } from "effect"
import { type McpPipe, McpPipeError } from "../../src/mcp/client-server.ts"
import type { JsonRpcMessage } from "../../src/schemas/sdk/options/mcp-config.ts"

/** What was sent to the server, with the call's time limit. */
export interface Sent {
  readonly message: JsonRpcMessage
  readonly timeoutMs: number
}

export interface TestPipe {
  readonly pipe: McpPipe
  readonly sent: Array<Sent>
}

interface Connectable {
  connect(transport: InMemoryTransport): Promise<void>
}

/** A pipe to a real server. */
export const pipeTo = async (server: Connectable): Promise<TestPipe> => {
  const [mine, theirs] = InMemoryTransport.createLinkedPair()
  const waiting = new Map<unknown, (message: JsonRpcMessage) => void>()
  mine.onmessage = (message) => {
    if (!("id" in message)) return
    // As text, as every transport has it.
    waiting.get(message.id)?.(JSON.parse(JSON.stringify(message)) as JsonRpcMessage)
    waiting.delete(message.id)
  }
  await server.connect(theirs)
  await mine.start()
  const sent: Array<Sent> = []
  return {
    sent,
    pipe: {
      send: (message, timeoutMs) => {
        sent.push({ message, timeoutMs })
        const post = Effect.promise(() => mine.send(message as JSONRPCMessage)) // a request or a notification
        if (!("id" in message)) return Effect.as(post, null)
        const answer = Effect.callback<JsonRpcMessage>((resume) => {
          waiting.set(message.id, (response) => resume(Effect.succeed(response)))
          Effect.runFork(post)
        })
        return Effect.timeoutOrElse(answer, {
          duration: timeoutMs,
          orElse: () => new McpPipeError({ message: "took too long" }),
        })
      },
    },
  }
}

type Answer = { readonly result: unknown } | { readonly error: { readonly code: number; readonly message: string } }

/** A pipe to a server that `answer` implements; undefined for an answer that never arrives. */
export const scripted = (
  answer: (method: string, params: Readonly<Record<string, unknown>>) => Answer | undefined,
): TestPipe => {
  const sent: Array<Sent> = []
  return {
    sent,
    pipe: {
      send: (message, timeoutMs) => {
        sent.push({ message, timeoutMs })
        if (!("method" in message)) return Effect.die(new Error("only requests and notifications are sent"))
        if (!("id" in message)) return Effect.succeed(null)
        const given = answer(message.method, (message.params ?? {}) as Readonly<Record<string, unknown>>) // an object
        if (given === undefined) return Effect.fail(new McpPipeError({ message: "took too long" }))
        return Effect.succeed({ jsonrpc: "2.0", id: message.id, ...given } as JsonRpcMessage) // whatever the script returns
      },
    },
  }
}

/** What a server answers to `initialize`. */
export const HELLO = {
  result: {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "scripted", version: "1.2.3" },
  },
}

/** A pipe to a server with these tools, in one page. */
export const listing = (tools: ReadonlyArray<unknown>): TestPipe =>
  scripted((method) => (method === "initialize" ? HELLO : { result: { tools } }))
