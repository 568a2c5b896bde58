// The conversation of a subagent in the background: read from the log page by page, followed until its run has ended.
import { signal } from "@preact/signals"
import { expect, it, vi } from "vitest"
import { ConnectionError, NotFoundError } from "../../../../src/client/api/perch-error.ts"
import type { LogEvent } from "../../../../src/client/api/session-shapes.ts"
import { AgentFeed, type LogQuery, type ReadLog } from "../../../../src/console/chat/agents/agent-feed.ts"

const THREAD = "toolu_thread"

const logOf = (...given: ReadonlyArray<Partial<LogEvent>>): Array<LogEvent> =>
  given.map((event, index) => ({
    seq: index + 1,
    uuid: `u${index + 1}`,
    turn: null,
    parent_tool_use_id: THREAD,
    at: 1000 + index,
    name: "sdk:user",
    payload: {},
    ...event,
  }))

const started = (agent: string, thread: string) => ({
  name: "agent:started",
  parent_tool_use_id: null,
  payload: { agent_id: agent, thread },
})

const ended = (agent: string) => ({ name: "agent:ended", parent_tool_use_id: null, payload: { agent_id: agent } })

const answer = (id: string, ...content: ReadonlyArray<object>) => ({
  name: "sdk:assistant",
  payload: { message: { id, model: "claude", content } },
})

const use = (id: string, input: object) => ({ type: "tool_use", id, name: "Read", input })

const result = (id: string, content: unknown, more: object = {}) => ({
  payload: { message: { content: [{ type: "tool_result", tool_use_id: id, content, ...more }] } },
})

const withheld = (event: Partial<LogEvent>) => ({
  name: "message:withheld",
  payload: { event: event.name ?? "sdk:user", message: event.payload },
})

/** Reads `log` in pages of two events; `queries` records the requests. */
const reader = (log: ReadonlyArray<LogEvent>) => {
  const queries: Array<LogQuery> = []
  const read: ReadLog = async (query) => {
    queries.push(query)
    const rest = log.filter(({ seq, name }) => seq > query.after && (query.name === undefined || name === query.name))
    return { events: rest.slice(0, 2), has_more: rest.length > 2, last_seq: log.length }
  }
  return { read, queries }
}

const feedOf = (readLog: ReadLog) =>
  new AgentFeed({ readLog, call: THREAD, asks: signal([]), messageOf: (error) => (error as Error).message })

const opened = async (read: ReadLog) => {
  const feed = feedOf(read)
  feed.open()
  await vi.waitFor(() => expect(feed.isLoading.value).toBe(false))
  return feed
}

const shown = ({ conversation }: AgentFeed) =>
  conversation.ids.value.map((id) => {
    const message = conversation.message(id)
    const parts = message?.parts.value.map((part) => {
      const { type, text, tool, state } = conversation.part(part)?.value ?? {}
      return type === "tool" ? `${tool} ${state?.status}: ${state?.output ?? state?.error ?? ""}` : `${type}: ${text}`
    })
    return [message?.info.value.role, ...(parts ?? [])]
  })

const WHOLE = [
  started("other", "toolu_other"),
  { parent_tool_use_id: null, payload: { message: { content: "A prompt of the session." } } },
  started("mine", THREAD),
  withheld({ payload: { message: { content: "Look." } } }),
  answer("m1", { type: "thinking", thinking: "Well.", signature: "s" }),
  answer("m1", { type: "text", text: "I look." }, use("c1", { file_path: "/a" }), use("c2", {})),
  { parent_tool_use_id: "toolu_other", payload: { message: { content: "Of another agent." } } },
  result("c1", [{ type: "text", text: "alpha" }]),
  result("c2", "no such file", { is_error: true }),
  withheld(answer("m2", { type: "text", text: "The report." })),
  ended("mine"),
  answer("m3", { type: "text", text: "After its end." }),
]

const CONVERSATION = [
  ["user", "text: Look."],
  ["assistant", "reasoning: Well.", "text: I look.", "read completed: alpha", "read error: no such file"],
  ["assistant", "text: The report."],
]

it("shows the agent's own messages, forwarded or not, and none of others", async () => {
  const { read, queries } = reader(logOf(...WHOLE).slice(0, -1))
  expect(shown(await opened(read))).toEqual(CONVERSATION)
  // Events before its start are not read.
  expect(queries.filter(({ name }) => name === undefined)[0]?.after).toBe(3)
})

it("is read until the run has ended, and no further", async () => {
  vi.useFakeTimers()
  try {
    const log = logOf(...WHOLE)
    const growing = log.slice(0, 1)
    const { read, queries } = reader(growing)
    const feed = await opened(read)
    expect(shown(feed)).toEqual([])
    for (const event of log.slice(1, 11)) {
      growing.push(event)
      await vi.advanceTimersByTimeAsync(2000)
    }
    expect(shown(feed)).toEqual(CONVERSATION)
    const asked = queries.length
    growing.push(...log.slice(11))
    await vi.advanceTimersByTimeAsync(20_000)
    expect(queries.length).toBe(asked)
    // When it is opened again, it shows what a later run of the agent added.
    feed.open()
    await vi.advanceTimersByTimeAsync(0)
    expect(shown(feed)).toEqual([...CONVERSATION, ["assistant", "text: After its end."]])
    feed.close()
  } finally {
    vi.useRealTimers()
  }
})

it("marks the open calls of a stopped run", async () => {
  const { read } = reader(logOf(started("mine", THREAD), answer("m1", use("c1", {})), ended("mine")))
  expect(shown(await opened(read))).toEqual([["assistant", "read error: Tool execution was interrupted"]])
})

it("applies events once when a read fails in between, and stops at a refusal", async () => {
  vi.useFakeTimers()
  try {
    const { read } = reader(logOf(...WHOLE).slice(0, -1))
    let reads = 0
    const feed = feedOf(async (query) => {
      reads += 1
      if (reads % 2 === 0)
        throw new ConnectionError({ type: "connection_error", message: "The network is gone", status: 0 })
      return read(query)
    })
    feed.open()
    await vi.advanceTimersByTimeAsync(0)
    expect(feed.error.value).toBe("The network is gone")
    await vi.advanceTimersByTimeAsync(60_000)
    expect(feed.error.value).toBeNull()
    expect(shown(feed)).toEqual(CONVERSATION)
    let refusals = 0
    const refused = feedOf(async () => {
      refusals += 1
      throw new NotFoundError({ type: "not_found_error", message: "There is no such session.", status: 404 })
    })
    refused.open()
    await vi.advanceTimersByTimeAsync(60_000)
    expect([refused.error.value, refusals]).toEqual(["There is no such session.", 1])
  } finally {
    vi.useRealTimers()
  }
})
