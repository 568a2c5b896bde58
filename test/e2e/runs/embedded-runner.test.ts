// runEmbeddedAgent against a server: callbacks in their order, results, aborts, broken streams, and the same for each runtime.
import { randomBytes, randomUUID } from "node:crypto"
import { query } from "@anthropic-ai/claude-agent-sdk"
import { describe, expect, inject, it } from "vitest"
import { spawnPerch } from "../../../src/client/spawn.ts"
import { type EmbeddedRunParams, runEmbeddedAgent, type SdkQuery } from "../../../src/interop/embedded-runner.ts"
import { ApiLog } from "../../support/session/api-log.ts"
import { call, promptFor, scriptName, text } from "../../support/session/scripts.ts"

const shared = inject("shared")
const api = new ApiLog(shared.apiUrl)
const perch = { url: shared.url, apiKey: shared.key }

const chat = () => `chat:${randomBytes(6).toString("hex")}`

const scripted = async (...turns: ReadonlyArray<object>) => {
  const name = scriptName("embedded")
  await api.set(name, [...turns])
  return promptFor(name)
}

/** Callbacks that write down that they were called, and with what. */
const recorder = () => {
  const calls: Array<readonly [string, unknown]> = []
  const note =
    (name: string) =>
    (value?: unknown): void =>
      void calls.push([name, value ?? null])
  const callbacks: Partial<EmbeddedRunParams> = {
    onAssistantMessageStart: note("onAssistantMessageStart"),
    onPartialReply: note("onPartialReply"),
    onBlockReply: note("onBlockReply"),
    onBlockReplyFlush: note("onBlockReplyFlush"),
    onReasoningStream: note("onReasoningStream"),
    onReasoningEnd: note("onReasoningEnd"),
    onToolResult: note("onToolResult"),
    onAgentEvent: note("onAgentEvent"),
    shouldEmitToolResult: () => true,
  }
  return { calls, callbacks }
}

const run = (params: Partial<EmbeddedRunParams>) =>
  runEmbeddedAgent({ perch, sessionId: chat(), runId: randomUUID(), timeoutMs: 60_000, ...params })

const TODO = call("TodoWrite", { todos: [{ content: "Look", status: "pending", activeForm: "Looking" }] })
const CONVERSATION = [
  { content: [{ type: "thinking", thinking: "I write it down.", signature: "s" }, text("First a list."), TODO] },
  { content: [text("It is written down now, and that is all there is to do today.")] },
]

describe("runEmbeddedAgent", () => {
  it("calls back in the order of the run, and resolves with its result", async () => {
    const { calls, callbacks } = recorder()
    const result = await run({ prompt: await scripted(...CONVERSATION), reasoningLevel: "stream", ...callbacks })
    const names = calls.map(([name]) => name).filter((name) => name !== "onAgentEvent")
    expect(names.filter((name, index) => name !== names[index - 1])).toEqual([
      "onAssistantMessageStart",
      "onReasoningStream",
      "onReasoningEnd",
      "onPartialReply",
      "onBlockReply",
      "onBlockReplyFlush",
      "onToolResult",
      "onAssistantMessageStart",
      "onPartialReply",
      "onBlockReply",
    ])
    expect(result.payloads).toEqual([{ text: "It is written down now, and that is all there is to do today." }])
    expect(result.meta).toMatchObject({ stopReason: "completed", agentMeta: { provider: "anthropic" } })
  })
})

describe("the runtimes", () => {
  const sequence = async (params: Partial<EmbeddedRunParams>, prompt?: string) => {
    const { calls, callbacks } = recorder()
    const made = prompt ?? (await scripted(...CONVERSATION))
    const result = await run({ prompt: made, reasoningLevel: "stream", ...callbacks, ...params })
    return { calls: timeless(calls), payloads: result.payloads }
  }
  /** Ids of calls are the scripts' own. */
  const timeless = (calls: ReadonlyArray<readonly [string, unknown]>) => JSON.parse(JSON.stringify(calls)) as unknown

  it("claude-sdk and live call back alike", async () => {
    const claudeSdk = {
      query: query as unknown as SdkQuery,
      spawn: ({ url, apiKey, sessionId }: { url: string; apiKey: string; sessionId: string }) =>
        spawnPerch({ url, apiKey, sessionId }),
    }
    const live = await sequence({ runtime: "live" })
    const sdk = await sequence({ runtime: "claude-sdk", sessionId: randomUUID(), claudeSdk })
    expect(sdk).toEqual(live)
  })
})
