// The official browser SDK on a session of the server, over either of its transports.
// Invariant: whatever the test does, `close` ends it and reports why it failed.
import {
  type BrowserQueryOptions,
  getCcrEvent,
  type Query,
  query,
  type SDKMessage,
  type SDKUserMessage,
} from "@anthropic-ai/claude-agent-sdk/browser"
import { eventually } from "./client.ts"

export type Transport = "websocket" | "sse"

export interface BrowserClient {
  readonly query: Query
  /** All messages so far. */
  readonly messages: ReadonlyArray<SDKMessage>
  /** The seqs of the durable messages, as the client knows them (SSE only). */
  seqs(): ReadonlyArray<number>
  prompt(text: string): void
  /** Resolves once there are this many results. */
  results(count: number): Promise<ReadonlyArray<SDKMessage>>
  close(): Promise<void>
}

type Callbacks = Pick<BrowserQueryOptions, "canUseTool" | "hooks" | "mcpServers">

export const openBrowserClient = (
  server: { readonly url: string; readonly key: string },
  id: string,
  transport: Transport,
  callbacks: Callbacks = {},
): BrowserClient => {
  const base = `${server.url}/v1/sessions/${id}`
  const abort = new AbortController()
  const prompts = promptQueue()
  const options = { ...callbacks, prompt: prompts.all(), abortController: abort }
  const session =
    transport === "sse"
      ? query({
          ...options,
          sse: {
            streamUrl: `${base}/events/stream?format=client`,
            sendUrl: `${base}/events`,
            sessionId: id,
            headers: { Authorization: `Bearer ${server.key}` },
          },
        })
      : query({
          ...options,
          websocket: {
            url: `${base.replace("http", "ws")}/socket`,
            authMessage: { type: "auth", credential: { type: "oauth", token: server.key } },
          },
        })
  const messages: Array<SDKMessage> = []
  let failure: unknown
  const reading = (async () => {
    for await (const message of session) messages.push(message)
  })().catch((error: unknown) => {
    if (!abort.signal.aborted) failure = error
  })
  return {
    query: session,
    messages,
    seqs: () => messages.flatMap((message) => getCcrEvent(session, message)?.sequence_num ?? []),
    prompt: (text) => prompts.push(text),
    results: (count) =>
      eventually(async () => {
        if (failure !== undefined) throw new Error("the client failed", { cause: failure })
        const results = messages.filter(({ type }) => type === "result")
        return results.length >= count ? messages : undefined
      }, 45_000),
    close: async () => {
      prompts.end()
      abort.abort()
      await reading
      if (failure !== undefined) throw new Error("the client failed", { cause: failure })
    },
  }
}

const promptQueue = () => {
  const waiting: Array<string> = []
  let wake = Promise.withResolvers<void>()
  let ended = false
  const signal = () => {
    wake.resolve()
    wake = Promise.withResolvers<void>()
  }
  return {
    push: (text: string) => {
      waiting.push(text)
      signal()
    },
    end: () => {
      ended = true
      signal()
    },
    async *all(): AsyncGenerator<SDKUserMessage> {
      while (!ended) {
        const text = waiting.shift()
        if (text === undefined) await wake.promise
        else yield { type: "user", message: { role: "user", content: text }, parent_tool_use_id: null }
      }
    },
  }
}
