// The harnesses that call a server, each with the scripted server that answers it.
import type { Layer } from "effect"
import { ClaudeHarness } from "../../../src/signals/harness/claude.ts"
import type { AskingOptions } from "../../../src/signals/harness/options.ts"
import { OpenAIHarness } from "../../../src/signals/harness/openai.ts"
import type { HarnessService } from "../../../src/signals/harness.ts"
import { createFakeApi } from "../session/scripted-api.mjs"
import { createScriptedOpenAi } from "./scripted-openai.mjs"

/** How a server answers a request. */
export interface Reply {
  readonly text: string
  /** An HTTP error instead of an answer. */
  readonly error?: { readonly status: number; readonly type: string; readonly message: string }
  /** The connection is cut after this many chunks of the stream. */
  readonly dropAfter?: number
  /** The answer waits after the first chunk until the gate of this name is opened. */
  readonly gate?: string
  /** The stop reason: the model refused, or reached its token limit. */
  readonly stop?: "refusal" | "limit"
}

export interface Provider {
  readonly name: string
  /** The options with which a harness reaches the server. */
  readonly access: { readonly apiKey: string; readonly baseUrl: string }
  harness(
    options?: AskingOptions & { readonly apiKey?: string; readonly baseUrl?: string },
  ): Layer.Layer<HarnessService>
  /** Answers prompts with `[[script:NAME]]`, one reply after another; the last repeats. */
  set(name: string, ...replies: ReadonlyArray<Reply>): void
  /** The requests of that script. */
  requests(name: string): ReadonlyArray<{ readonly aborted?: true }>
  /** The number of answers that wait at a gate. */
  waiting(gate: string): number
  close(): Promise<void>
}

/** Characters per chunk. */
const CHUNK = 5
export const KEY = "sk-proj-0123456789abcdef"

export const claudeProvider = async (): Promise<Provider> => {
  const api = await createFakeApi()
  const turnOf = ({ text, error, dropAfter, gate, stop }: Reply) => ({
    content: [{ type: "text", text }],
    chunk: CHUNK,
    ...(error === undefined ? {} : { error }),
    // message_start, ping and content_block_start precede the chunks.
    ...(dropAfter === undefined ? {} : { drop: { after: dropAfter + 3 } }),
    ...(gate === undefined ? {} : { pause: { after: 4, gate } }),
    ...(stop === undefined ? {} : { stop_reason: stop === "limit" ? "max_tokens" : "refusal" }),
  })
  return {
    name: "Claude",
    access: { apiKey: KEY, baseUrl: api.url },
    harness: (options) => ClaudeHarness({ model: "sonnet", apiKey: KEY, baseUrl: api.url, ...options }),
    set: (name, ...replies) => api.set(name, { turns: [replies.map(turnOf)], allowNoTools: true }),
    requests: (name) => api.log.filter(({ script }) => script === name),
    waiting: (gate) => api.open().waiting[gate] ?? 0,
    close: () => api.close(),
  }
}

export const openaiProvider = async (): Promise<Provider> => {
  const api = await createScriptedOpenAi()
  const turnOf = ({ text, error, dropAfter, gate, stop }: Reply) => ({
    text,
    chunk: CHUNK,
    ...(error === undefined ? {} : { error }),
    ...(dropAfter === undefined ? {} : { drop: { after: dropAfter } }),
    ...(gate === undefined ? {} : { pause: { after: 1, gate } }),
    ...(stop === undefined ? {} : { finish_reason: stop === "limit" ? "length" : "content_filter" }),
  })
  return {
    name: "OpenAI",
    access: { apiKey: KEY, baseUrl: api.url },
    harness: (options) => OpenAIHarness({ model: "gpt-5", apiKey: KEY, baseUrl: api.url, ...options }),
    set: (name, ...replies) => api.set(name, replies.map(turnOf)),
    requests: (name) => api.log.filter(({ script }) => script === name),
    waiting: (gate) => api.waiting()[gate] ?? 0,
    close: () => api.close(),
  }
}
