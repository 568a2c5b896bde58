// The status of a turn: its result, its times and its cost, through joins, restarts and interrupts.
import { describe, expect, it } from "vitest"
import { call, promptFor, text, textAnswer } from "../../support/session/scripts.ts"
import { eventsOf, prompt } from "../../support/session/session-harness.ts"
import { BYPASS, DONE, loop, payloadsOf, until } from "../../support/session/loop.ts"

const { connected, harnessOf, messagesSent, scripted } = loop()

const PRICED = { usage: { input_tokens: 1000, output_tokens: 100 } }
const user = (content: string, fields: object = {}) => ({
  type: "user",
  message: { role: "user", content },
  parent_tool_use_id: null,
  session_id: "",
  ...fields,
})

const asking = () => scripted([{ content: [call("Bash", { command: "touch x", description: "Make x" })] }, DONE])

describe("a turn", () => {
  it("that has ended has its result, its times, its cost and its position in the log", async () => {
    const booted = harnessOf().boot()
    const turn = prompt(booted.session, promptFor(scripted([{ content: [text("One.")], ...PRICED }])))
    await booted.idle()
    const events = eventsOf(booted.log)
    const queued = events.find(({ name }) => name === "turn:queued")!
    const init = events.find(({ name }) => name === "sdk:system/init")!
    const result = events.find(({ name }) => name === "sdk:result/success")!
    const [{ usd } = { usd: 0 }] = payloadsOf(events, "call:finished")
    expect(usd).toBeGreaterThan(0)
    expect(booted.session.turns.info(turn)).toEqual({
      type: "turn",
      session_id: booted.session.id,
      turn_id: turn,
      status: "completed",
      joined_turn_id: null,
      pending: [],
      result: result.payload,
      cost_usd: usd,
      queued_at: new Date(queued.at).toISOString(),
      started_at: new Date(init.at).toISOString(),
      ended_at: new Date(result.at).toISOString(),
      first_seq: queued.seq,
      last_seq: result.seq,
    })
  })

  it("has the cost of its own requests only, and all turns together have the session's cost", async () => {
    const booted = harnessOf().boot()
    const turns = [1, 2, 3].map(() =>
      prompt(booted.session, promptFor(scripted([{ content: [text("x")], ...PRICED }]))),
    )
    await booted.idle()
    const costs = turns.map((turn) => booted.session.turns.info(turn)?.cost_usd ?? 0)
    expect(new Set(costs).size).toBe(1)
    expect(costs.reduce((sum, cost) => sum + cost, 0)).toBeCloseTo(booted.session.cost().total_cost_usd, 9)
  })

  it("whose result is an error has failed", async () => {
    const booted = harnessOf({ ...BYPASS, maxTurns: 1 }).boot()
    const script = scripted([{ content: [call("Glob", { pattern: "*" })] }, DONE])
    const turn = prompt(booted.session, promptFor(script))
    await booted.idle()
    expect(booted.session.turns.info(turn)).toMatchObject({
      status: "failed",
      result: { subtype: "error_max_turns", is_error: true },
    })
  })

  it("that waits for an answer says so, and so do the turns queued after it", async () => {
    const booted = harnessOf({}).boot()
    const turn = prompt(booted.session, promptFor(asking()))
    await booted.idle()
    const behind = prompt(booted.session, "and then")
    const [ask] = booted.session.askStore.open
    const pending = [{ request_id: ask!.requestId, turn_id: turn, tool_name: "Bash" }]
    expect(booted.session.turns.info(turn)).toMatchObject({ status: "requires_action", pending, result: null })
    expect(booted.session.turns.info(behind)).toMatchObject({
      status: "queued",
      pending,
      started_at: null,
      ended_at: null,
      last_seq: null,
      cost_usd: 0,
    })
  })

  it("that was stopped was interrupted, whether it ran or waited for an answer", async () => {
    const booted = harnessOf({}).boot()
    const turn = prompt(booted.session, promptFor(asking()))
    await booted.idle()
    await booted.stopTurn()
    await booted.idle()
    expect(booted.session.turns.info(turn)).toMatchObject({
      status: "interrupted",
      pending: [],
      result: { subtype: "error_during_execution" },
    })
  })

  it("that was withdrawn before it ran is cancelled and has no result", async () => {
    const booted = harnessOf({}).boot()
    prompt(booted.session, promptFor(asking()))
    await booted.idle()
    const behind = prompt(booted.session, "and then")
    booted.session.prompts.cancelQueued(behind)
    expect(booted.session.turns.info(behind)).toMatchObject({
      status: "cancelled",
      result: null,
      started_at: null,
      cost_usd: 0,
      ended_at: expect.any(String),
    })
  })

  it("is the same after a restart, open and ended", async () => {
    const harness = harnessOf({})
    const first = harness.boot()
    const done = prompt(first.session, promptFor(scripted([{ content: [text("One.")], ...PRICED }])))
    await first.idle()
    const open = prompt(first.session, promptFor(asking()))
    await first.idle()
    const before = [done, open].map((turn) => first.session.turns.info(turn))
    harness.crash()
    const second = harness.boot()
    await second.idle()
    expect([done, open].map((turn) => second.session.turns.info(turn))).toEqual(before)
  })

  it("that the session never had is undefined, and reading writes nothing", async () => {
    const harness = harnessOf({})
    const booted = harness.boot()
    const turn = prompt(booted.session, promptFor(asking()))
    await booted.idle()
    const written = harness.twin.rowsWritten()
    expect(booted.session.turns.info(crypto.randomUUID())).toBeUndefined()
    expect(await booted.session.turnWaits.wait(crypto.randomUUID(), 1000)).toBeUndefined()
    booted.session.turns.info(turn)
    booted.session.turns.page({ limit: 10, order: "desc" })
    await booted.session.turnWaits.wait(turn, 1000)
    expect(harness.twin.rowsWritten()).toBe(written)
  })
})

describe("prompts that were joined into one turn", () => {
  it("share its outcome and name it, whether they joined when it started or in its middle", async () => {
    let release: () => void = () => undefined
    const held = new Promise<void>((resolve) => (release = resolve))
    const guard = async () => {
      await held
      return {}
    }
    const { session, client, idle } = await connected({ PreToolUse: guard })
    const script = scripted([{ content: [call("Glob", { pattern: "*" })] }, DONE])
    const host = prompt(session, promptFor(script))
    await until(() => client.called.some((one) => one.callbackId === "PreToolUse"))
    const middle = crypto.randomUUID()
    client.send(user("and be quick", { uuid: middle }))
    await until(() => session.inbox.open.length === 2)
    expect(session.turns.info(middle)).toMatchObject({ status: "queued", joined_turn_id: null })
    const waited = session.turnWaits.wait(middle, 5000)
    release()
    expect(await waited).toMatchObject({ status: "completed", result: { result: "Done." } })
    await idle()
    expect(messagesSent(script)).toHaveLength(2)
    const whole = session.turns.info(host)!
    expect(session.turns.info(middle)).toEqual({
      ...whole,
      turn_id: middle,
      joined_turn_id: host,
      cost_usd: null,
      queued_at: expect.any(String),
    })
  })

  it("at its start have the id of the first one", async () => {
    const { session, client, idle } = await connected({}, {})
    const running = prompt(session, promptFor(asking()))
    await until(() => session.askStore.open.length === 1)
    const [one, two] = [crypto.randomUUID(), crypto.randomUUID()]
    client.send(user(promptFor(scripted([textAnswer("Both.")])), { uuid: one }))
    client.send(user("and be quick", { uuid: two }))
    await until(() => session.inbox.open.length === 3)
    session.asks.answer(session.askStore.open[0]!.requestId, { behavior: "deny", message: "no", interrupt: true })
    await idle()
    expect(session.turns.info(running)).toMatchObject({ status: "interrupted" })
    expect(session.turns.info(two)).toMatchObject({
      status: "completed",
      joined_turn_id: one,
      result: { result: "Both." },
    })
  })
})

describe("a page of turns", () => {
  it("has each turn once, the newest first or last, and ends when there are no more", async () => {
    const booted = harnessOf().boot()
    const turns = Array.from({ length: 7 }, () => prompt(booted.session, promptFor(scripted([DONE]))))
    await booted.idle()
    for (const order of ["asc", "desc"] as const) {
      const seen: Array<string> = []
      let cursor: string | null = null
      do {
        const page = booted.session.turns.page({ limit: 3, order, ...(cursor === null ? {} : { cursor }) })
        if ("refused" in page) throw new Error(page.refused.message)
        seen.push(...page.data.map(({ turn_id }) => turn_id))
        cursor = page.next_cursor
      } while (cursor !== null)
      expect(seen).toEqual(order === "asc" ? turns : turns.toReversed())
    }
    expect(booted.session.turns.page({ limit: 3, order: "asc", cursor: "x" })).toMatchObject({
      refused: { type: "invalid_request_error", field: "cursor" },
    })
  })

  it("ends early when its results are large, and has at least one turn", async () => {
    const booted = harnessOf().boot()
    const long = "x".repeat(1_200_000)
    const turns = [1, 2].map(() => prompt(booted.session, promptFor(scripted([textAnswer(long)]))))
    await booted.idle()
    const page = booted.session.turns.page({ limit: 10, order: "asc" })
    expect(page).toMatchObject({ data: [{ turn_id: turns[0] }], next_cursor: turns[0] })
    const rest = booted.session.turns.page({ limit: 10, order: "asc", cursor: turns[0]! })
    expect(rest).toMatchObject({ data: [{ turn_id: turns[1] }], next_cursor: null })
  })
})

describe("a wait for a turn", () => {
  it("ends when its turn, or one before it, waits for an ask; with until=end it continues until the end", async () => {
    const booted = harnessOf({}).boot()
    const { session } = booted
    const turn = prompt(session, promptFor(asking()))
    expect(await session.turnWaits.wait(turn, 5000)).toMatchObject({ status: "requires_action" })
    const behind = prompt(session, promptFor(scripted([DONE])))
    expect(await session.turnWaits.wait(behind, 5000)).toMatchObject({
      status: "queued",
      pending: [{ turn_id: turn }],
    })
    const ended = session.turnWaits.wait(behind, 5000, "end")
    session.asks.answer(session.askStore.open[0]!.requestId, { behavior: "allow" })
    expect(await ended).toMatchObject({ status: "completed", result: { result: "Done." } })
  })

  it("ends at its timeout, with the turn's current status", async () => {
    const booted = harnessOf({}).boot()
    const turn = prompt(booted.session, promptFor(asking()))
    await booted.idle()
    expect(await booted.session.turnWaits.wait(turn, 20, "end")).toMatchObject({ status: "requires_action" })
  })

  it("ends when the session was erased, without a report", async () => {
    const booted = harnessOf({}).boot()
    const turn = prompt(booted.session, promptFor(asking()))
    await booted.idle()
    const waited = booted.session.turnWaits.wait(turn, 60_000, "end")
    const reported = booted.session.turns.after(turn, 60_000, "end")
    booted.life.become({ tag: "erasing", session: booted.open })
    booted.life.become({ tag: "erased" })
    booted.session.turnWaits.changed()
    expect(await Promise.all([waited, reported])).toEqual([undefined, undefined])
  })
})
