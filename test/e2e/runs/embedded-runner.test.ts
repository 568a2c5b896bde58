// runEmbeddedAgent against a server: callbacks in order, results, aborts, broken streams, and the same behaviour in each
// runtime.
import { randomBytes, randomUUID } from "node:crypto"
import { query } from "@anthropic-ai/claude-agent-sdk"
import { describe, expect, inject, it } from "vitest"
import { spawnPerch } from "../../../src/client/spawn.ts"
import {
  type AgentEnd,
  type EmbeddedRunParams,
  runEmbeddedAgent,
  type SdkQuery,
} from "../../../src/interop/embedded-runner.ts"
import { PerchClient } from "../../support/server/client.ts"
import { ApiLog } from "../../support/session/api-log.ts"
import { call, promptFor, text, textAnswer } from "../../support/session/scripts.ts"

const shared = inject("shared")
const api = new ApiLog(shared.apiUrl)
const perch = { url: shared.url, apiKey: shared.key }

const chat = () => `chat:${randomBytes(6).toString("hex")}`

const scripted = async (...turns: ReadonlyArray<object>): Promise<string> => promptFor(await api.add("embedded", turns))

/** Callbacks that record their calls and arguments. */
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
  textAnswer("It is written down now, and that is all there is to do today."),
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

  it("repeats and omits no callback when the stream breaks repeatedly", async () => {
    const whole = recorder()
    const answer = "A reply that is long enough for several steps, word after word after word, until it ends."
    const script = { content: [text(answer), TODO], chunk: 5 }
    await run({ prompt: await scripted(script, { content: [text(answer)], chunk: 7 }), ...whole.callbacks })
    const broken = recorder()
    const result = await run({
      perch: { ...perch, fetch: cutting(700) },
      prompt: await scripted(script, { content: [text(answer)], chunk: 7 }),
      ...broken.callbacks,
    })
    expect(result.payloads).toEqual([{ text: answer }])
    expect(withoutIds(broken.calls)).toEqual(withoutIds(whole.calls))
  })

  it("keeps the text so far when it is aborted, and at its timeout", async () => {
    const half = { content: [text("Half of this reply, and then nothing more for a long time.")], chunk: 6 }
    const controller = new AbortController()
    const aborted = await run({
      prompt: await scripted({ ...half, pause: { after: 9 } }),
      abortSignal: controller.signal,
      onPartialReply: () => controller.abort(),
    })
    expect(aborted.meta.aborted).toBe(true)
    expect(aborted.payloads?.[0]?.text).toMatch(/^Half of this/)
    // How far it has come by then depends on the machine.
    const late = await run({ prompt: await scripted({ ...half, pause: { after: 9 } }), timeoutMs: 700 })
    expect(late.meta.aborted).toBe(true)
    expect(await run({ prompt: "never", abortSignal: AbortSignal.abort() })).toEqual({
      meta: { durationMs: 0, aborted: true },
    })
  })

  it("ends with the calls of the caller's own tools, and continues with their results", async () => {
    const sessionId = chat()
    const clientTools = [{ type: "function" as const, function: { name: "lookup" } }]
    const prompt = await scripted(
      { content: [text("I look."), call("lookup", { q: "Rome" }, "toolu_own")] },
      textAnswer("It is sunny."),
    )
    const first = await run({ sessionId, prompt, clientTools })
    expect(first).toMatchObject({
      meta: { stopReason: "tool_calls", pendingToolCalls: [{ id: "toolu_own", arguments: '{"q":"Rome"}' }] },
    })
    expect(first).not.toHaveProperty("payloads")
    const { calls, callbacks } = recorder()
    const next = await run({ sessionId, toolResults: [{ id: "toolu_own", content: "sunny" }], ...callbacks })
    expect(next).toMatchObject({ payloads: [{ text: "It is sunny." }], meta: { stopReason: "completed" } })
    expect(calls[0]).toEqual(["onAgentEvent", { stream: "lifecycle", data: { phase: "start" } }])
  })

  it("puts the context of before_agent_start before the prompt, and calls agent_end with the outcome of the run", async () => {
    const ends: Array<AgentEnd> = []
    const prompt = await scripted(textAnswer("Done."))
    const runId = randomUUID()
    await run({
      prompt,
      runId,
      hooks: {
        before_agent_start: (event, context) => {
          expect([event.prompt, context.runId]).toEqual([prompt, runId])
          return { prependContext: "It is Monday." }
        },
        agent_end: (event) => void ends.push(event),
      },
    })
    const [request] = await api.requests(/script:([^\]]+)/.exec(prompt)?.[1] ?? "")
    expect(JSON.stringify(request?.body)).toContain("It is Monday.")
    expect(ends).toMatchObject([{ success: true, messages: [{ text: "Done." }], durationMs: expect.any(Number) }])
    const refused = run({ prompt, timeoutMs: 0, hooks: { agent_end: (event) => void ends.push(event) } })
    await expect(refused).rejects.toMatchObject({ name: "EmbeddedRunError", status: 400, field: "timeoutMs" })
    expect(ends[1]).toMatchObject({ success: false, error: expect.stringContaining("timeoutMs") })
  })

  it("decides the runtime when the run starts, not when it is sent", async () => {
    const sessionId = chat()
    const wanted: { runtime: "live" | "offline" } = { runtime: "live" }
    const second = {
      perch,
      sessionId,
      runId: randomUUID(),
      timeoutMs: 60_000,
      prompt: "Say hello",
      get runtime() {
        return wanted.runtime
      },
    }
    const prompt = await scripted(textAnswer("Done."))
    const first = run({ sessionId, prompt, onBlockReply: () => void (wanted.runtime = "offline") })
    const behind = runEmbeddedAgent(second)
    expect((await first).meta.agentMeta?.provider).toBe("anthropic")
    expect((await behind).meta.agentMeta?.provider).toBe("offline")
  })
})

/** A `fetch` whose streams break after this number of bytes, until nothing is left to send. */
const cutting = (bytes: number): typeof fetch => {
  let room = bytes
  return async (input, init) => {
    const response = await fetch(input, init)
    if (response.body === null || !response.headers.get("content-type")?.startsWith("text/event-stream"))
      return response
    let left = room
    // A frame that is longer than the remaining bytes must arrive eventually.
    room *= 2
    const cut = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, out) => {
        out.enqueue(chunk.subarray(0, left))
        left -= chunk.byteLength
        if (left <= 0) out.error(new Error("the connection broke"))
      },
    })
    return new Response(response.body.pipeThrough(cut), { status: response.status, headers: response.headers })
  }
}

/** Calls have unique ids in each script. */
const withoutIds = (calls: ReadonlyArray<readonly [string, unknown]>): unknown =>
  JSON.parse(JSON.stringify(calls).replaceAll(/toolu_[a-z0-9_]+/gi, "toolu"))

describe("any two runtimes make the same callbacks", () => {
  const claudeSdk = {
    query: query as unknown as SdkQuery,
    spawn: (server: { url: string; apiKey: string; sessionId: string }) => spawnPerch(server),
  }
  const sequence = async (params: Partial<EmbeddedRunParams>) => {
    const { calls, callbacks } = recorder()
    const result = await run({ reasoningLevel: "stream", ...callbacks, ...params })
    expect(result.meta.stopReason).toBe("completed")
    return { calls: withoutIds(calls), payloads: result.payloads }
  }

  /** The offline model's answers to a prompt that it executes with a tool, as a script. */
  const offlineScript = async (sessionId: string) => {
    const events = await new PerchClient(shared).events(sessionId)
    const answers = new Map<string, Array<unknown>>()
    for (const { name, payload } of events) {
      const { message } = payload
      if (name !== "sdk:assistant" || message === undefined || typeof message.content === "string") continue
      const id = String(message.id)
      answers.set(id, [...(answers.get(id) ?? []), ...message.content])
    }
    return [...answers.values()].map((content) => ({ content }))
  }

  const make = async () => {
    const offlineSession = randomUUID()
    const offline = await sequence({ runtime: "offline", sessionId: offlineSession, prompt: "Run `echo hello`" })
    const turns = await offlineScript(offlineSession)
    const prompt = await scripted(...turns)
    const recordedSession = randomUUID()
    const live = await sequence({ runtime: "live", prompt })
    const record = await sequence({ runtime: "record", sessionId: recordedSession, prompt })
    const recording = await new PerchClient(shared).json<{ id: string }>("POST", "/v1/recordings", {
      json: { session_id: recordedSession },
      status: 201,
    })
    const playback = await sequence({ runtime: "playback", recording: recording.id, prompt })
    const sdk = await sequence({ runtime: "claude-sdk", sessionId: randomUUID(), prompt, claudeSdk })
    expect(JSON.stringify(live.calls)).toContain("onToolResult")
    return { live, offline, record, playback, "claude-sdk": sdk }
  }
  let made: ReturnType<typeof make> | undefined
  const NAMES = ["live", "offline", "record", "playback", "claude-sdk"] as const
  const PAIRS = NAMES.flatMap((one, index) => NAMES.slice(index + 1).map((other) => [one, other] as const))

  it.each(PAIRS)("%s and %s", async (one, other) => {
    const sequences = await (made ??= make())
    expect(sequences[other]).toEqual(sequences[one])
  })

  it("with thinking and text before a call, live and claude-sdk", async () => {
    const live = await sequence({ runtime: "live", prompt: await scripted(...CONVERSATION) })
    const prompt = await scripted(...CONVERSATION)
    expect(await sequence({ runtime: "claude-sdk", sessionId: randomUUID(), prompt, claudeSdk })).toEqual(live)
  })

  it("rejects what the official SDK can't execute, by name", async () => {
    const refused = run({ runtime: "claude-sdk", prompt: "x", claudeSdk })
    await expect(refused).rejects.toMatchObject({ field: "sessionId" })
    const images = [{ type: "image" as const, data: "AAAA", mimeType: "image/png" as const }]
    await expect(run({ runtime: "claude-sdk", prompt: "x", images, claudeSdk })).rejects.toMatchObject({
      field: "images",
    })
  })
})
