// Sessions for the tests of one file: a scripted Messages API, sessions that end with their test, and short names for the
// content of a log. After each test every model request is checked: each call has exactly one result.
import type { Clock } from "effect"
import { afterAll, afterEach, beforeAll, expect } from "vitest"
import type { Env } from "../../../src/schemas/env.ts"
import type { LogEvent } from "../../../src/schemas/log/events.ts"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { createFakeApi, type ScriptedApi } from "./scripted-api.mjs"
import { promptFor, scriptName, text } from "./scripts.ts"
import type { HookTable, SessionClient } from "./session-client.ts"
import { blocksOf, type Booted, eventsOf, problemsOf, prompt, SessionHarness } from "./session-harness.ts"

export type Turns = Parameters<ScriptedApi["set"]>[1]

export const BYPASS: SessionOptions = { permissionMode: "bypassPermissions" }
export const DONE = { content: [text("Done.")] }

interface Block {
  readonly type: string
  readonly id?: string
  readonly tool_use_id?: string
  readonly text?: string
  readonly content?: unknown
  readonly is_error?: boolean
}
interface Message {
  readonly role: string
  readonly content: ReadonlyArray<Block>
}

export interface Started extends Booted {
  readonly turn: string
  readonly script: string
  readonly harness: SessionHarness
  readonly client: SessionClient
  readonly events: () => ReadonlyArray<LogEvent>
  readonly result: () => Readonly<Record<string, unknown>>
  /** The conversations that the model was sent. */
  readonly sent: () => ReadonlyArray<ReadonlyArray<Message>>
}

/** The errors of a conversation as a request sends it. */
export const problemsOfMessages = (messages: ReadonlyArray<Message>): ReadonlyArray<string> => {
  const problems: Array<string> = []
  messages.forEach((message, index) => {
    if (message.role !== (index % 2 === 0 ? "user" : "assistant")) problems.push(`message ${index} is ${message.role}`)
    if (message.content.length === 0) problems.push(`message ${index} is empty`)
    const results = message.content.flatMap((block) => (block.type === "tool_result" ? [block.tool_use_id] : []))
    const before = messages[index - 1]?.content ?? []
    const calls = before.flatMap((block) => (block.type === "tool_use" ? [block.id] : []))
    if (JSON.stringify(results.toSorted()) !== JSON.stringify(calls.toSorted())) {
      problems.push(`message ${index}: calls ${calls.join()} have results ${results.join()}`)
    }
    if (message.content.slice(0, results.length).some((block) => block.type !== "tool_result")) {
      problems.push(`message ${index}: something comes before its results`)
    }
  })
  // An answer that paused is sent back unchanged.
  if (messages.at(-1)?.content.some((block) => block.type === "tool_use"))
    problems.push("the last calls have no result")
  return problems
}

/** Registers the API of a test file; call it once, at the top. */
export const loop = () => {
  let api: ScriptedApi
  const open: Array<SessionHarness> = []
  beforeAll(async () => {
    api = await createFakeApi()
  })
  afterEach(async () => {
    for (const harness of open.splice(0)) await harness.dispose()
    const asked = api.log.splice(0).filter((entry) => entry.kind === "main")
    for (const entry of asked) expect(problemsOfMessages(messagesOf(entry.body))).toEqual([])
  })
  afterAll(() => api.close())

  const harnessOf = (
    options: SessionOptions = BYPASS,
    clock?: Clock.Clock,
    settings: Partial<Env> = {},
  ): SessionHarness => {
    const harness = new SessionHarness(api.url, options, settings, clock)
    open.push(harness)
    return harness
  }

  /** A session whose client has these hooks; no prompt has been sent yet. */
  const connected = async (hooks: HookTable = {}, options: SessionOptions = BYPASS) => {
    const harness = harnessOf(options)
    const booted = harness.boot()
    const client = harness.connect(hooks)
    await client.initialize()
    return { ...booted, harness, client }
  }

  const scripted = (turns: Turns, name = scriptName("loop")): string => {
    api.set(name, turns)
    return name
  }

  /** The conversations that the model was sent for a script. */
  const messagesSent = (script: string) =>
    api.log.filter((entry) => entry.script === script).map(({ body }) => messagesOf(body))

  /** A session with one prompt, whose script is `turns`. */
  const start = async (turns: Turns, hooks: HookTable = {}, options: SessionOptions = BYPASS): Promise<Started> => {
    const opened = await connected(hooks, options)
    const script = scripted(turns)
    const turn = prompt(opened.session, promptFor(script))
    const events = () => eventsOf(opened.log)
    const sent = () => messagesSent(script)
    return { ...opened, turn, script, events, result: () => resultOf(events()), sent }
  }

  /** Like `start`, but resolves once the turn has ended, and checks that its log is well formed. */
  const finish = async (turns: Turns, hooks?: HookTable, options?: SessionOptions): Promise<Started> => {
    const started = await start(turns, hooks, options)
    await started.idle()
    expect(problemsOf(started.events(), [started.turn])).toEqual([])
    return started
  }

  return {
    get api() {
      return api
    },
    harnessOf,
    connected,
    scripted,
    messagesSent,
    start,
    finish,
  }
}

const messagesOf = (body: unknown): ReadonlyArray<Message> =>
  (body as { messages: ReadonlyArray<{ role: string; content: string | ReadonlyArray<Block> }> }).messages.map(
    ({ role, content }) => ({
      role,
      content: typeof content === "string" ? [{ type: "text", text: content }] : content,
    }),
  )

export const resultOf = (events: ReadonlyArray<LogEvent>) =>
  events.findLast((event) => event.name.startsWith("sdk:result"))?.payload as Readonly<Record<string, unknown>>

export const namesOf = (events: ReadonlyArray<LogEvent>): ReadonlyArray<string> => events.map((event) => event.name)

export const payloadsOf = (events: ReadonlyArray<LogEvent>, name: string): ReadonlyArray<Record<string, unknown>> =>
  events.filter((event) => event.name === name).map((event) => event.payload as Record<string, unknown>)

/** Names of the hook events, in order. */
export const hooksOf = (events: ReadonlyArray<LogEvent>): ReadonlyArray<string> =>
  payloadsOf(events, "hook:fired").map((payload) => String(payload["hook_event_name"]))

export const toolResultsOf = (events: ReadonlyArray<LogEvent>) =>
  events.flatMap(blocksOf).filter((block) => block.type === "tool_result")

/** The texts of a message, joined. */
export const textOf = (message: Message | undefined): string =>
  (message?.content ?? []).map((block) => block.text ?? "").join("\n")

export const until = async (check: () => boolean): Promise<void> => {
  while (!check()) await new Promise((resolve) => setTimeout(resolve, 5))
}
