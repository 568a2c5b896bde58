// The rows of a session in D1, rebuilt from its log, equal those that were delivered over time.
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import type { WebhookNamespace } from "../../../src/schemas/api/webhooks.ts"
import { EventNames, type NewEvent } from "../../../src/schemas/log/events.ts"
import { revertSession } from "../../../src/session/revert/reverts.ts"
import { StoreError } from "../../../src/store/store-error.ts"
import { forgetPatterns } from "../../../src/webhooks/patterns.ts"
import { createFakeApi, type ScriptedApi } from "../../support/session/scripted-api.mjs"
import { call, promptFor, scriptName, text, textAnswer } from "../../support/session/scripts.ts"
import { type Booted, eventsOf, prompt, SessionHarness } from "../../support/session/session-harness.ts"
import { TurnLog } from "../../support/session/turn-log.ts"
import { rebuiltRows } from "./rebuilt-rows.ts"
import { LogDelivery } from "../../session/delivery/log-delivery.ts"

let api: ScriptedApi
const harnesses: Array<SessionHarness> = []

beforeAll(async () => {
  api = await createFakeApi()
})
afterAll(async () => {
  for (const harness of harnesses) await harness.dispose()
  await api.close()
})

const session = () => {
  const harness = new SessionHarness(api.url, { permissionMode: "acceptEdits" })
  harnesses.push(harness)
  return { harness, booted: harness.boot() }
}

const turn = async (booted: Booted, ...content: ReadonlyArray<Record<string, unknown>>) => {
  const name = scriptName("rebuild")
  api.set(name, [{ content: [text("First."), ...content] }, textAnswer("Then.")])
  const id = prompt(booted.session, promptFor(name))
  await booted.idle()
  return id
}

/** Appends a turn that called a tool, without running it. */
const finishedTurn = ({ session: core }: Booted, index: number): void => {
  const log = new TurnLog()
  log.queued(`Prompt ${index}`)
  log.init()
  log.toolUse(`call-${index}`, `t${index}`, "Read", { file_path: "/a" })
  log.toolResult(`t${index}`, `content ${index}`)
  log.call(`call-${index}`, { stop_reason: "tool_use" })
  log.text(`answer-${index}`, "Done.")
  log.call(`answer-${index}`)
  log.result()
  const turn = crypto.randomUUID()
  // The events are those of a log, without their places in it.
  core.append(log.events.map(({ name, payload }) => ({ name, payload, turn, parent_tool_use_id: null }) as NewEvent))
}

const write = (path: string) => call("Write", { file_path: path, content: "alpha\n" })

describe("rebuilding the rows of a session", () => {
  it("produces the rows that were delivered turn by turn", async () => {
    const { harness, booted } = session()
    for (const path of ["/workspace/a.txt", "/workspace/b.txt", "/workspace/c.txt"]) {
      await turn(booted, write(path))
      await booted.outbox.flush()
    }
    const { before, after, counts } = await rebuiltRows(harness, booted)
    expect(after).toEqual(before)
    expect(counts).toEqual(Object.fromEntries(Object.entries(before).map(([table, rows]) => [table, rows.length])))
    expect(counts).toMatchObject({ sessions: 1, costs: 6 })
    expect(counts.hook_events).toBeGreaterThan(6)
  })

  it("follows the head after it moved", async () => {
    const { harness, booted } = session()
    await turn(booted)
    await booted.outbox.flush()
    const at = eventsOf(booted.log).findLast(({ name }) => name === "sdk:assistant")?.uuid ?? ""
    await turn(booted, write("/workspace/left.txt"))
    await booted.outbox.flush()
    const reopened = booted.session.resumption.resume({ options: { permissionMode: "acceptEdits" }, at })
    expect(reopened).toBeUndefined()
    await turn(booted, write("/workspace/taken.txt"))
    await booted.outbox.flush()
    const { before, after } = await rebuiltRows(harness, booted)
    expect(after).toEqual(before)
    expect(JSON.stringify(before.parts)).toContain("taken.txt")
    expect(JSON.stringify(before.parts)).not.toContain("left.txt")
  })

  it("of a long conversation whose head has moved has a page of it in memory at a time", async () => {
    const { harness, booted } = session()
    const { database } = harness
    for (let index = 0; index < 150; index += 1) finishedTurn(booted, index)
    await booted.outbox.flush()
    const before = database.rows("messages").length
    const messageID = eventsOf(booted.log).findLast(({ name }) => name === EventNames.turnQueued)?.uuid ?? ""
    expect(revertSession(booted.session, { messageID })).toBeUndefined()
    // The number of events that are read between two writes.
    const reads: Array<number> = [0]
    const read = booted.log.read.bind(booted.log)
    vi.spyOn(booted.log, "read").mockImplementation((query) => {
      const found = read(query)
      reads.push((reads.pop() ?? 0) + found.length)
      return found
    })
    const batch = database.batch.bind(database)
    database.batch = (statements) => {
      reads.push(0)
      return batch(statements)
    }
    await booted.outbox.flush()
    vi.restoreAllMocks()
    expect(reads.length).toBeGreaterThan(2)
    expect(Math.max(...reads)).toBeLessThanOrEqual(700)
    // The last turn's prompt and answer are gone.
    expect(database.rows("messages")).toHaveLength(before - 3)
    const { before: moved, after } = await rebuiltRows(harness, booted)
    expect(after).toEqual(moved)
  })

  it("removes rows that are not the log's, and changes nothing when it is repeated", async () => {
    const { harness, booted } = session()
    await turn(booted)
    await booted.outbox.flush()
    const { before } = await rebuiltRows(harness, booted)
    harness.database.sqlite.exec("UPDATE costs SET usd = 99; UPDATE sessions SET seq = 1000, title = 'wrong'")
    harness.database.sqlite.exec("UPDATE messages SET position = position + 500, seq = 1000")
    await booted.outbox.rebuild()
    expect({ costs: harness.database.rows("costs"), messages: harness.database.rows("messages") }).toEqual({
      costs: before.costs,
      messages: before.messages,
    })
    expect(harness.database.rows("sessions")).toEqual(before.sessions)
  })

  it("that is interrupted is completed by the session's own delivery", async () => {
    const delivery = new LogDelivery()
    delivery.log.queued("Hello")
    for (let n = 0; n < 3; n += 1) delivery.log.hook("Stop", { n })
    await delivery.outbox.flush()
    await delivery.deliver()
    const sessions = delivery.db.rows("sessions")
    for (const batch of [1, 2, 3]) {
      delivery.db.failBatchIn = batch
      await expect(delivery.outbox.rebuild()).rejects.toBeInstanceOf(StoreError)
      delivery.restart()
      await delivery.outbox.flush()
      if (delivery.outbox.checkAt !== null) await delivery.checkWhenDue()
      await delivery.deliver()
      expect(delivery.db.rows("sessions")).toEqual(sessions)
      expect(delivery.stored).toEqual(delivery.expected)
    }
  })

  it("sends nothing to webhooks again, not even in a session that an earlier version stored", async () => {
    for (const earlier of [false, true]) {
      const delivery = new LogDelivery()
      const offered: Array<unknown> = []
      const webhook = {
        patterns: async () => ["**"],
        offer: async (events: ReadonlyArray<unknown>) => void offered.push(...events),
      }
      delivery.webhooks = { getByName: () => webhook } as unknown as WebhookNamespace // sessions call these two
      forgetPatterns("test")
      delivery.restart()
      delivery.log.queued("Hello")
      delivery.log.hook("Stop")
      await delivery.outbox.flush()
      const { length } = offered
      expect(length).toBeGreaterThan(0)
      if (earlier) delivery.cursors = { d1_seq: 2, queue_seq: 2, head_seq: 0 }
      await delivery.outbox.rebuild()
      expect(offered).toHaveLength(length)
      expect(delivery.cursors).toMatchObject({ d1_seq: 2, webhook_seq: 2 })
    }
    forgetPatterns("test")
  })

  it("and a concurrent flush do not interfere", async () => {
    const { harness, booted } = session()
    await turn(booted)
    const rebuilt = booted.outbox.rebuild()
    const flushed = booted.outbox.flush()
    await Promise.all([rebuilt, flushed])
    const { before, after } = await rebuiltRows(harness, booted)
    expect(after).toEqual(before)
  })
})
