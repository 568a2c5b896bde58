// The recorded session as the unmodified AG-UI client reads it: its schemas, its verifier and its fold report nothing.
import { type BaseEvent, HttpAgent, type Message } from "@ag-ui/client"
import { EventSchemas } from "@ag-ui/core/schemas"
import { afterEach, expect, it, vi } from "vitest"
import { framesBehind } from "../../views/golden/golden-log.ts"

afterEach(() => {
  vi.restoreAllMocks()
})

/** The client's result for a stream, and its warnings. */
const readByClient = async (frames: ReadonlyArray<string>) => {
  const warnings: Array<string> = []
  vi.spyOn(console, "warn").mockImplementation((...texts) => void warnings.push(texts.join(" ")))
  vi.spyOn(console, "error").mockImplementation((...texts) => void warnings.push(texts.join(" ")))
  const body = frames.map((data) => `data: ${data}\n\n`).join("")
  const headers = { "content-type": "text/event-stream" }
  const agent = new HttpAgent({ url: "http://agent.test", fetch: async () => new Response(body, { headers }) })
  const events: Array<BaseEvent> = []
  await agent.runAgent({}, { onEvent: ({ event }) => void events.push(event) })
  return { agent, events, warnings }
}

const framesOfAll = async () => (await framesBehind("ag-ui")).flat().map(({ data }) => data)

it("every event of the recorded session is valid in AG-UI 1.0", async () => {
  for (const data of await framesOfAll()) expect(EventSchemas.safeParse(JSON.parse(data)).error).toBeUndefined()
})

it("the client reads the whole session without a warning, and has its conversation", async () => {
  const frames = await framesOfAll()
  const { agent, events, warnings } = await readByClient(frames)
  expect(warnings).toEqual([])
  expect(events).toHaveLength(frames.length)
  const texts = (role: Message["role"]) =>
    agent.messages.flatMap((message) =>
      message.role === role && typeof message.content === "string" ? [message.content] : [],
    )
  expect(texts("assistant")).toContain("Goodbye.")
  expect(texts("reasoning")[0]).toBe("The workspace first, then the greeting.")
  expect(texts("user").length).toBeGreaterThanOrEqual(3)
  const calls = agent.messages.flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []))
  const results = agent.messages.flatMap((message) => (message.role === "tool" ? [message.toolCallId] : []))
  expect(new Set(results)).toEqual(new Set(calls.map(({ id }) => id)))
  expect(agent.state).toMatchObject({ todos: [{ status: "completed" }] })
})

it("the client accepts each run by itself", async () => {
  const frames = await framesOfAll()
  const starts = frames.flatMap((data, index) => (data.includes('"type":"RUN_STARTED"') ? [index] : []))
  expect(starts.length).toBeGreaterThan(5)
  for (const [index, start] of starts.entries()) {
    const { warnings, events } = await readByClient(frames.slice(start, starts[index + 1]))
    expect(warnings).toEqual([])
    expect(events.at(-1)).toMatchObject({ type: "RUN_FINISHED" })
  }
})
