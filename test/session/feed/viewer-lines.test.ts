// What a viewer of a session receives in addition to SDK messages: the open ask, its settlement, a withdrawn prompt.
import { describe, expect, it } from "vitest"
import type { FeedLine } from "../../../src/schemas/log/feed-line.ts"
import { pendingAsk } from "../../../src/session/storage/ask-store.ts"
import { call, promptFor } from "../../support/session/scripts.ts"
import { prompt, type SessionHarness } from "../../support/session/session-harness.ts"
import { DONE, loop, until } from "../../support/session/loop.ts"

const { harnessOf, scripted } = loop()

const asking = () => scripted([{ content: [call("Bash", { command: "touch x", description: "Make x" })] }, DONE])

const jsonOf = (lines: ReadonlyArray<FeedLine>, name: string) =>
  lines.filter((line) => line.name === name).map((line) => ({ seq: line.seq, ...(JSON.parse(line.json) as object) }))

/** The lines of a viewer that joins now, after they have arrived. */
const joined = async (harness: SessionHarness, query: Parameters<SessionHarness["view"]>[0] = {}) => {
  const lines = harness.view(query)
  await until(() => lines.some(({ name }) => name === "feed:live"))
  return lines
}

/** A session whose turn waits for permission, with one ask. */
const asked = async () => {
  const harness = harnessOf({})
  const booted = harness.boot()
  const early = await joined(harness)
  const turn = prompt(booted.session, promptFor(asking()))
  await until(() => booted.session.askStore.open.length === 1)
  const ask = pendingAsk(booted.session.askStore.open[0]!)
  return { harness, booted, early, turn, ask, shown: { seq: null, type: "ask", ...ask } }
}

describe("an ask", () => {
  it("is sent when it opens, as the list of asks shows it; its settlement is an event of the log", async () => {
    const { booted, early, turn, ask, shown } = await asked()
    await until(() => jsonOf(early, "ask:opened").length === 1)
    expect(jsonOf(early, "ask:opened")).toEqual([shown])
    expect(jsonOf(early, "ask:settled")).toEqual([])
    booted.session.asks.answer(ask.request_id, { behavior: "deny", message: "No." })
    await booted.idle()
    const { event } = [...booted.log.all()].find((stored) => stored.event.name === "ask:settled")!
    const settled = { type: "ask_settled", request_id: ask.request_id, turn_id: turn, by: "client", behavior: "deny" }
    await until(() => jsonOf(early, "ask:settled").length === 1)
    expect(jsonOf(early, "ask:settled")).toEqual([{ seq: event.seq, ...settled }])
  })

  it("that is open is sent once to a viewer that joins, after the replay, wherever the replay starts", async () => {
    const { harness, booted, shown } = await asked()
    for (const after of ["head", 0, booted.log.lastSeq] as const) {
      const lines = await joined(harness, { after })
      expect(jsonOf(lines, "ask:opened")).toEqual([shown])
      expect(lines.findIndex(({ name }) => name === "ask:opened")).toBeGreaterThan(
        lines.findIndex(({ name }) => name === "feed:live"),
      )
    }
  })

  it("that was settled is never sent again; its settlement is", async () => {
    const { harness, booted, ask } = await asked()
    const before = booted.log.lastSeq
    booted.session.asks.answer(ask.request_id, { behavior: "allow" })
    await booted.idle()
    for (const after of [0, before]) {
      const lines = await joined(harness, { after })
      expect(jsonOf(lines, "ask:opened")).toEqual([])
      await until(() => jsonOf(lines, "ask:settled").length > 0)
      expect(jsonOf(lines, "ask:settled")).toMatchObject([{ request_id: ask.request_id, behavior: "allow" }])
    }
    expect(jsonOf(await joined(harness), "ask:settled")).toEqual([])
  })

  it("is sent to the viewer of a prompt that is queued after it, with the turn that it belongs to", async () => {
    const { harness, booted, ask, shown, turn } = await asked()
    const behind = prompt(booted.session, promptFor(scripted([DONE])))
    const seq = booted.session.inbox.find(behind)!.seq
    const lines = await joined(harness, { after: seq - 1, turn: behind })
    expect(jsonOf(lines, "ask:opened")).toEqual([shown])
    booted.session.asks.answer(ask.request_id, { behavior: "allow" })
    await booted.idle()
    await until(() => lines.some(({ name }) => name === "sdk:result/success"))
    expect(jsonOf(lines, "ask:settled")).toMatchObject([{ turn_id: turn }])
    expect(lines.every((line) => line.turn === null || line.turn === behind || line.name.startsWith("ask:"))).toBe(true)
  })

  it("is settled for viewers too when the turn is stopped, and sent again after a restart while it is open", async () => {
    const { harness, ask, shown } = await asked()
    harness.crash()
    const again = harness.boot()
    const lines = await joined(harness)
    expect(jsonOf(lines, "ask:opened")).toEqual([shown])
    await again.stopTurn()
    await until(() => jsonOf(lines, "ask:settled").length > 0)
    expect(jsonOf(lines, "ask:settled")).toMatchObject([
      { request_id: ask.request_id, by: "interrupt", behavior: "deny" },
    ])
  })

  it("for a client's own tool is settled without a behavior", async () => {
    const tool = { name: "weather", description: "Tells the weather", inputSchema: { type: "object", properties: {} } }
    const harness = harnessOf({ permissionMode: "bypassPermissions", clientTools: [tool] })
    const booted = harness.boot()
    const lines = await joined(harness)
    prompt(booted.session, promptFor(scripted([{ content: [call("weather", {})] }, DONE])))
    await until(() => booted.session.askStore.open.length === 1)
    const request_id = booted.session.askStore.open[0]!.requestId
    booted.session.asks.answer(request_id, { content: "Sunny." })
    await booted.idle()
    expect(jsonOf(lines, "ask:opened")).toMatchObject([{ type: "ask", kind: "client_tool", tool_name: "weather" }])
    await until(() => jsonOf(lines, "ask:settled").length > 0)
    const [settled] = jsonOf(lines, "ask:settled")
    expect(settled).toMatchObject({ request_id, by: "client" })
    expect(settled).not.toHaveProperty("behavior")
  })

  it("is a control frame for clients of the control protocol, and not a viewer line as well", async () => {
    const { harness } = await asked()
    const client = harness.connect()
    await client.initialize()
    expect(client.frames.some(({ type }) => type === "ask")).toBe(false)
  })
})

it("a withdrawn prompt ends for its own viewer, and is not sent to others", async () => {
  const { harness, booted } = await asked()
  const behind = prompt(booted.session, "and then")
  const seq = booted.session.inbox.find(behind)!.seq
  const [own, other] = [await joined(harness, { after: seq - 1, turn: behind }), await joined(harness)]
  booted.session.prompts.cancelQueued(behind)
  await until(() => own.some(({ name }) => name === "turn:cancelled"))
  expect(jsonOf(own, "turn:cancelled")).toMatchObject([{ type: "turn_cancelled", turn_id: behind }])
  expect(jsonOf(other, "turn:cancelled")).toEqual([])
  const late = await joined(harness, { after: seq - 1, turn: behind })
  expect(jsonOf(late, "turn:cancelled")).toHaveLength(1)
})
