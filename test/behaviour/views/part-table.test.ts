// Each kind of block and each kind of part, from a session that had it: what produces it, and that D1 has the same.
import { Effect, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { Message, type Part } from "../../../src/schemas/parts.ts"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { wholeInfo } from "../../../src/session/session-report.ts"
import { storedMessages } from "../../../src/store/messages.ts"
import { BYPASS, DONE, loop } from "../../support/session/loop.ts"
import { call, promptFor, text, textAnswer } from "../../support/session/scripts.ts"
import { prompt, SESSION_ID } from "../../support/session/session-harness.ts"
import { projectParts } from "../../support/values/project-parts.ts"
import { conversation, FULL, SMALL_WINDOW } from "../compaction/compactions.ts"

const setting = loop()
type Turns = Parameters<typeof setting.finish>[0]
type Run = Pick<Awaited<ReturnType<typeof setting.finish>>, "events" | "outbox" | "harness">

const AGENTS = { helper: { description: "Helps.", prompt: "You are a helper." } }
const WRITE = call("Write", { file_path: "/workspace/a", content: "a\n" })

/** The session's messages, after a check that D1 has the same. */
const messagesOf = async ({ events, outbox, harness }: Run): Promise<ReadonlyArray<Message>> => {
  const messages = Schema.decodeUnknownSync(Schema.Array(Message))(projectParts(SESSION_ID, events()), {
    onExcessProperty: "error",
  })
  await outbox.flush()
  const stored = await Effect.runPromise(storedMessages(harness.database.d1, "test", SESSION_ID, { limit: 1000 }))
  expect(stored?.messages).toEqual(messages)
  return messages
}

const run = async (turns: Turns, options: SessionOptions = BYPASS) =>
  messagesOf(await setting.finish(turns, {}, options))

const prompted = async (words: string, options: SessionOptions = BYPASS, turn: SessionOptions = {}) => {
  const opened = await setting.connected({}, options)
  opened.workspace.writeBytes("/workspace/notes.txt", "n\n")
  const script = setting.scripted([DONE])
  prompt(opened.session, `${promptFor(script)} ${words}`, turn)
  await opened.idle()
  return messagesOf({ ...opened, events: () => [...opened.log.all()].map(({ event }) => event) })
}

const BUSY = { error: { status: 529, type: "overloaded_error", message: "busy" } }
const TOO_LONG = {
  error: { status: 400, type: "invalid_request_error", message: "prompt is too long: 210000 tokens > 200000 maximum" },
}

const ROWS: Readonly<Record<Part["type"], () => Promise<ReadonlyArray<Message>>>> = {
  text: () => run([DONE]),
  reasoning: () => run([{ content: [{ type: "thinking", thinking: "Hm.", signature: "c2ln" }, text("Done.")] }]),
  "redacted-reasoning": () => run([{ content: [{ type: "redacted_thinking", data: "b3BhcXVl" }, text("Done.")] }]),
  tool: () => run([{ content: [WRITE] }, DONE]),
  file: () => prompted("see @notes.txt"),
  agent: () => prompted("ask @helper", { ...BYPASS, agents: AGENTS }),
  subtask: () => {
    const inner = setting.scripted([DONE])
    const input = { description: "Look", prompt: promptFor(inner), subagent_type: "helper", run_in_background: false }
    return run([{ content: [call("Agent", input)] }, DONE], { ...BYPASS, agents: AGENTS })
  },
  "step-start": () => run([DONE]),
  "step-finish": () => run([DONE]),
  snapshot: () => run([{ content: [WRITE] }, DONE]),
  patch: () => run([{ content: [WRITE] }, DONE]),
  retry: () => run([[BUSY, DONE]] as unknown as Turns),
  compaction: async () => {
    const turns = [textAnswer("first answer"), textAnswer("second answer", FULL)]
    const opened = await conversation(setting, turns, { options: SMALL_WINDOW })
    for (const words of ["one", "two", "three"]) await opened.say(words)
    return messagesOf(opened)
  },
}

const SHOWN: Readonly<Record<Part["type"], object>> = {
  text: { text: "Done.", time: { start: expect.any(Number), end: expect.any(Number) } },
  reasoning: { text: "Hm.", signature: "c2ln" },
  "redacted-reasoning": { data: "b3BhcXVl" },
  tool: { tool: "write", callID: WRITE.id, state: { status: "completed", input: WRITE.input, title: "/workspace/a" } },
  file: { filename: "notes.txt", mime: "text/plain", source: { type: "file", text: { value: "@notes.txt" } } },
  agent: { name: "helper", source: { value: "@helper" } },
  subtask: { agent: "helper", description: "Look" },
  "step-start": {},
  "step-finish": { reason: "end_turn", cost: expect.any(Number), tokens: { cache: expect.anything() } },
  snapshot: { snapshot: expect.stringMatching(/^[0-9a-f]{64}$/) },
  patch: { hash: expect.stringMatching(/^[0-9a-f]{64}$/), files: ["/workspace/a"] },
  retry: { attempt: 1, error: { name: "APIError", data: { statusCode: 529, isRetryable: true } } },
  compaction: { auto: true },
}

// Every name of the union is a key.
describe.each(Object.keys(ROWS) as ReadonlyArray<Part["type"]>)("a part of type %s", (type) => {
  it("is produced by a session, and D1 has the same messages", async () => {
    const messages = await ROWS[type]()
    const parts = messages.flatMap((message) => message.parts).filter((part) => part.type === type)
    expect(parts.at(type === "text" ? -1 : 0)).toMatchObject({ type, sessionID: SESSION_ID, ...SHOWN[type] })
    const ids = messages.flatMap((message) => message.parts.map(({ id }) => id))
    expect(new Set(ids).size).toBe(ids.length)
    for (const { info, parts: own } of messages) expect(own.every(({ messageID }) => messageID === info.id)).toBe(true)
  })
})

describe("a compaction", () => {
  const compactions = (messages: ReadonlyArray<Message>) =>
    messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "compaction" ? [part.auto] : [])))

  it("by hand is not automatic, and one after the API's refusal is", async () => {
    const manual = await conversation(setting, [textAnswer("first answer"), textAnswer("second answer")])
    for (const words of ["one", "two", "/compact"]) await manual.say(words)
    expect(compactions(await messagesOf(manual))).toEqual([false])
    const refused = await conversation(setting, [textAnswer("first answer"), textAnswer("second answer"), TOO_LONG])
    for (const words of ["one", "two", "three"]) await refused.say(words)
    expect(compactions(await messagesOf(refused))).toEqual([true])
  })

  it("that fails produces no part", async () => {
    const compact = { error: { status: 400, type: "invalid_request_error", message: "no summary" } }
    const failed = await conversation(setting, [textAnswer("first answer"), textAnswer("second answer")], { compact })
    for (const words of ["one", "two", "/compact"]) await failed.say(words)
    expect(compactions(await messagesOf(failed))).toEqual([])
  })
})

describe("the info of a message", () => {
  it("of a prompt contains its tools, and the system prompt and variant of its own options", async () => {
    const turn: SessionOptions = { systemPrompt: "Be brief.", variant: "low" }
    const [asked] = await prompted("go", BYPASS, turn)
    expect(asked?.info).toMatchObject({ role: "user", system: "Be brief.", variant: "low", tools: { Read: true } })
    const [plain] = await prompted("go", { ...BYPASS, disallowedTools: ["Bash"] })
    expect(plain?.info).not.toHaveProperty("system")
    expect(plain?.info).not.toHaveProperty("variant")
    expect(plain?.info).not.toHaveProperty("tools.Bash")
  })

  it("of a prompt that started a new conversation is marked", async () => {
    const setup = await conversation(setting, [textAnswer("first answer")])
    for (const words of ["one", "/clear", "/cost"]) await setup.say(words)
    const prompts = (await messagesOf(setup)).filter(({ info }) => info.role === "user")
    expect(prompts.map(({ info }) => info.role === "user" && info.sdk?.conversationReset)).toEqual([
      undefined,
      true,
      undefined,
    ])
  })

  it("of an answer contains the duration of its request, alone and with its calls", async () => {
    const messages = await run([{ content: [WRITE] }, DONE])
    for (const { info } of messages) {
      if (info.role !== "assistant") continue
      const { api = -1, total = -1 } = info.sdk.duration ?? {}
      expect(info.sdk).toMatchObject({ uuid: expect.any(String), sessionId: SESSION_ID })
      expect(total).toBeGreaterThanOrEqual(api)
      expect(api).toBeGreaterThanOrEqual(0)
    }
  })

  it("of a session contains its model, tools and cache", async () => {
    const { session, core } = await setting.finish([DONE])
    const { cacheRead: read, cacheWrite: write } = session.memory.accounting
    expect(wholeInfo(core).sdk).toMatchObject({
      sessionId: SESSION_ID,
      model: expect.stringContaining("claude"),
      tools: expect.arrayContaining(["Read"]),
      cacheStats: { read, write },
    })
  })
})

it("the messages of a subagent are complete", async () => {
  const inner = setting.scripted([{ content: [WRITE] }, textAnswer("The report.")])
  const input = { description: "Look", prompt: promptFor(inner), subagent_type: "helper", run_in_background: false }
  const messages = await run([{ content: [call("Agent", input)] }, DONE], { ...BYPASS, agents: AGENTS })
  const own = messages.filter(({ info }) => info.sdk?.parentToolUseId !== undefined)
  expect(own.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "text" ? [part.text] : [])))).toEqual([
    promptFor(inner),
    "The report.",
  ])
})
