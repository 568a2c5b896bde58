// The server is killed (process group, -9) at chosen moments: what was sent is kept, and what was started is ended.
import { setTimeout as delay } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { assistantBlocks, toolResults } from "../../support/session/api-log.ts"
import { type Ask, blocksOf, type Event, eventually } from "../../support/server/client.ts"
import { call, promptFor, scriptName, text, textAnswer } from "../../support/session/scripts.ts"
import { startOwnServer } from "../../support/server/own-server.ts"
import { expectAsksToLast } from "../streams/open-asks.ts"
import { openThreads } from "../clients/ag-ui/open-threads.ts"
import { openLanes } from "../lanes/open-lanes.ts"
import { openCompactions } from "../streams/open-compactions.ts"
import { openReplies } from "../streams/open-replies.ts"
import { openRuns } from "../streams/open-runs.ts"
import { openAgents } from "./open-agents.ts"
import { openRunAndQueued } from "./open-run-and-queued.ts"
import { openSocketAsks } from "./open-socket-asks.ts"
import { openSseClient } from "./open-sse-client.ts"

const BYPASS = { permissionMode: "bypassPermissions", allowDangerouslySkipPermissions: true }

const { sharedCrash, perch, api } = await startOwnServer()

/** Every tool_use of the log has exactly one tool_result, and the turn exactly one result. */
const expectWhole = (events: ReadonlyArray<Event>) => {
  const blocks = events
    .filter(({ name }) => name === "sdk:assistant" || name === "sdk:user")
    .flatMap(({ payload }) => blocksOf(payload))
  const uses = blocks.filter(({ type }) => type === "tool_use").map(({ id }) => id)
  const results = blocks.filter(({ type }) => type === "tool_result").map((block) => block.tool_use_id)
  expect(results.toSorted()).toEqual(uses.toSorted())
  expect(events.filter(({ name }) => name.startsWith("sdk:result"))).toHaveLength(1)
  expect(events.filter(({ name }) => name === "sdk:system/init")).toHaveLength(1)
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => (events[0]?.seq ?? 0) + index))
}

// The tests of each `describe` run at the same time, and the server is killed once for all of them (`sharedCrash`).
describe("a server that is killed", () => {
  it.concurrent("between turns has the same events and session afterwards, and sends the whole history with the next prompt", async (context) => {
    const { crash } = sharedCrash(context)
    const [one, two] = [scriptName("before"), scriptName("after")]
    const blocks = [
      { type: "thinking", thinking: "", signature: "c2lnLWVtcHR5" },
      { type: "redacted_thinking", data: "EmwKAhgBEgy3va3pzix" },
      { type: "future_block", note: "unknown", nested: { deep: [1, null] } },
      text("I read it."),
    ]
    const read = call("Read", { file_path: "/workspace/x.txt" })
    await api.set(one, [{ content: [...blocks, read] }, textAnswer("Done.")])
    await api.set(two, [textAnswer("Still here.")])
    const id = await perch.createSession({}, { "/workspace/x.txt": "x\n" })
    await perch.query(id, promptFor(one))
    // Its delivery to D1 continues meanwhile.
    const { delivery: _before, ...session } = await perch.json("GET", `/v1/sessions/${id}`)
    const events = await perch.events(id)

    await crash()
    expect(await perch.events(id)).toEqual(events)
    const { delivery: _after, ...restarted } = await perch.json("GET", `/v1/sessions/${id}`)
    expect(restarted).toEqual(session)
    expect(await perch.getFile(id, "/workspace/x.txt")).toBe("x\n")

    const messages = await perch.query(id, promptFor(two))
    expect(messages.at(-1)).toMatchObject({ type: "result", result: "Still here." })
    const [request] = await api.requests(two)
    const sent = assistantBlocks(request!).map(({ cache_control: _, ...block }) => block)
    expect(JSON.stringify(sent)).toBe(JSON.stringify([...blocks, read, text("Done.")]))
    expect(toolResults(request!).map((block) => block.tool_use_id)).toEqual([read.id])
  })
  it.concurrent("in mid-text: the turn continues without a client and ends in one result", async (context) => {
    const { crash } = sharedCrash(context)
    const name = scriptName("mid-text")
    const whole = { content: [text("word ".repeat(80))], chunk: 10 }
    await api.set(name, [[{ ...whole, pause: { after: 12 } }, whole]])
    const id = await perch.createSession({ includePartialMessages: true })
    await perch.submit(id, promptFor(name))
    await perch.stream(id, { after: 0, until: ({ event }) => event?.delta?.type === "text_delta" })

    await crash()
    const events = await perch.eventsUntilResults(id, 1)
    expectWhole(events)
    expect(events.findLast(({ name }) => name.startsWith("sdk:result"))?.payload).toMatchObject({ subtype: "success" })
  })

  it.concurrent("while an ask is open: it is still open, and its answer finishes the turn", async (context) => {
    const { crash } = sharedCrash(context)
    const name = scriptName("mid-ask")
    const write = call("Write", { file_path: "/workspace/asked.txt", content: "written\n" })
    await api.set(name, [{ content: [write] }, textAnswer("Finished.")])
    const id = await perch.createSession({ permissionMode: "default" })
    const { pending } = await perch.json<{ pending: ReadonlyArray<Ask> }>("POST", `/v1/sessions/${id}/query`, {
      json: { prompt: promptFor(name) },
      status: 202,
    })

    await crash()
    expect(await perch.asks(id)).toEqual(pending)
    await perch.answer(id, pending[0]!.request_id, { behavior: "allow" })
    const events = await perch.eventsUntilResults(id, 1)
    expectWhole(events)
    expect(await perch.getFile(id, "/workspace/asked.txt")).toBe("written\n")
    expect(await api.requests(name)).toHaveLength(2)
  })

  it.concurrent("while asks, clients' tools and routed runs wait, each is answered over REST or ends; conversations are compacted once, and lanes are kept", async (context) => {
    const { crash, others } = sharedCrash(context)
    const [expectRunsToLast, expectOneSummary] = [await openRuns(perch, api), await openCompactions(perch, api)]
    const expectSameReplies = await openReplies(perch, api)
    const expectThreadsToGoOn = await openThreads(perch, api)
    const expectLanesToLast = await openLanes(perch, api)
    // Two asks that this test opens time out after a second: it opens them when all other tests are ready for the crash.
    await others(1)
    await expectAsksToLast({ perch, api, crash })
    await expectRunsToLast()
    await expectOneSummary()
    await expectSameReplies()
    await expectThreadsToGoOn()
    await expectLanesToLast()
  })

  it.concurrent("while an SSE client is connected, which receives the rest of the turn afterwards: nothing is lost or repeated", async (context) => {
    const { crash } = sharedCrash(context)
    const { expectRest, close } = await openSseClient(perch, api)
    context.onTestFinished(close)
    await crash()
    await expectRest()
  })
})

describe("a server that is killed in the middle of several calls", () => {
  it.concurrent.for([
    { when: "at the start of", ms: 0, last: 1 },
    { when: "about a second into", ms: 800, last: 2 },
  ])("$when a shell command: the file and the result agree", async ({ ms, last }, context) => {
    const { crash, others } = sharedCrash(context)
    // The command must not end before the crash.
    await others(last)
    const name = scriptName("mid-bash")
    const bash = call("Bash", { command: "echo x >> f; sleep 3", description: "Append a line" })
    await api.set(name, [{ content: [bash] }, textAnswer("Done.")])
    const id = await perch.createSession(BYPASS)
    await perch.submit(id, promptFor(name))
    await eventually(async () => (await perch.events(id)).find((event) => event.name === "sdk:assistant"))
    await delay(ms)

    await crash()
    const events = await perch.eventsUntilResults(id, 1)
    expectWhole(events)
    const file = await perch.getFile(id, "/workspace/f")
    expect([null, "x\n"]).toContain(file)
    const result = events.flatMap(({ payload }) => blocksOf(payload)).find((block) => block.tool_use_id === bash.id)
    expect(result?.is_error === true).toBe(file === null)
  })

  it.concurrent("continues each agent where it was: one result per call, one per turn, and everything is paid for", async (context) => {
    const { crash } = sharedCrash(context)
    const expectAgentsToContinue = await openAgents(perch, api)
    await crash()
    await expectAgentsToContinue()
  })

  it.concurrent("ends its run, then the queued one; the function resumes reading and calls nothing twice", async (context) => {
    const { crash } = sharedCrash(context)
    const expectBothToEnd = await openRunAndQueued(perch, api)
    await crash()
    await expectBothToEnd()
  })

  it.concurrent("keeps asks of prompts over a socket, which are answered afterwards over REST or a socket", async (context) => {
    const { crash } = sharedCrash(context)
    const expectAnswers = await openSocketAsks(perch, api)
    await crash()
    await expectAnswers()
  })
})
