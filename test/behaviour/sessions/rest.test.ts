// An object that starts after it was idle: it finds what is open without reading the rows of every past turn.
import { describe, expect, it } from "vitest"
import { AskStore } from "../../../src/session/storage/ask-store.ts"
import { Inbox } from "../../../src/session/storage/inbox.ts"
import { Meta } from "../../../src/session/storage/meta.ts"
import { Checkpoints } from "../../../src/workspace/checkpoints/checkpoints.ts"
import { DONE, loop, until } from "../../support/session/loop.ts"
import { call, promptFor } from "../../support/session/scripts.ts"
import { type Booted, prompt, type SessionHarness } from "../../support/session/session-harness.ts"

const { harnessOf, scripted } = loop()

const write = (name: string) => ({ content: [call("Write", { file_path: `/workspace/${name}`, content: "one\n" })] })
const turnOf = () => promptFor(scripted([write("a.txt"), DONE]))

/** Allows the call that a turn asks about. */
const allow = async ({ session }: Booted) => {
  await until(() => session.askStore.open.length > 0)
  for (const { requestId } of session.askStore.open) session.asks.answer(requestId, { behavior: "allow" })
}

const restedOf = ({ twin }: SessionHarness) => new Meta(twin.sql).get("outbox")?.rested

/** An idle session that asked about a call in each of its turns. */
const rested = async (turns: number) => {
  const harness = harnessOf({})
  const booted = harness.boot()
  for (let left = turns; left > 0; left -= 1) {
    prompt(booted.session, turnOf())
    await allow(booted)
    await booted.idle()
  }
  await booted.outbox.flush()
  return { harness, booted }
}

/** What is open, read from the stored rest position and from everything, must be the same. */
const expectSame = ({ twin }: SessionHarness) => {
  const { seq = 0, checkpoint } = new Meta(twin.sql).get("outbox")?.rested ?? {}
  const [inbox, whole] = [new Inbox(twin.sql, seq), new Inbox(twin.sql)]
  expect(inbox.open).toEqual(whole.open)
  expect(inbox.firstOpenAt(seq)).toBe(whole.firstOpenAt(seq))
  expect(new AskStore(twin.sql, seq).open).toEqual(new AskStore(twin.sql).open)
  if (checkpoint === undefined) return
  const start = { place: checkpoint, later: () => inbox.turnsSinceRest }
  expect(new Checkpoints(twin.sql, start).latest).toBe(new Checkpoints(twin.sql).latest)
}

const GROWING = /\bSCAN (?:inbox|asks|tool_runs|checkpoints|events)\b/
/** From the end of the log back to the newest such event. */
const NEWEST = /ORDER BY seq DESC LIMIT 1$/

describe("an object that starts after it was idle", () => {
  it.each(["at once", "after a turn that D1 has not got"])(
    "never scans a table that has a row for each turn, call or ask, %s",
    async (when) => {
      const { harness, booted: before } = await rested(2)
      if (when !== "at once") {
        prompt(before.session, turnOf())
        await allow(before)
        await before.idle()
        expect(restedOf(harness)?.seq).toBeLessThan(before.log.lastSeq)
      }
      harness.crash()
      const queries = new Set<string>()
      const { exec } = harness.twin.sql
      harness.twin.sql.exec = (query, ...bindings) => {
        queries.add(query)
        return exec(query, ...bindings)
      }
      const booted = harness.boot()
      prompt(booted.session, turnOf())
      await allow(booted)
      await booted.idle()
      await booted.outbox.flush()
      const plans = [...queries]
        .filter((query) => /^\s*(?:SELECT|WITH|INSERT|UPDATE|DELETE)/.test(query) && !NEWEST.test(query))
        .map((query) => [query, harness.twin.database.prepare(`EXPLAIN QUERY PLAN ${query}`).all()] as const)
      const scans = plans.filter(([, steps]) => steps.some(({ detail }) => GROWING.test(String(detail))))
      expect(scans.map(([query]) => query)).toEqual([])
      expect(queries.size).toBeGreaterThan(10)
    },
  )

  it("finds the prompts and asks that were added since", async () => {
    const { harness, booted } = await rested(1)
    const before = restedOf(harness)
    const first = prompt(booted.session, turnOf())
    const second = prompt(booted.session, turnOf())
    await until(() => booted.session.askStore.open.length > 0)
    await booted.outbox.flush()
    // The rest position does not move while something is open.
    expect(restedOf(harness)).toEqual(before)
    harness.crash()
    const next = harness.boot()
    expect(next.session.inbox.open.map(({ turn }) => turn)).toEqual([first, second])
    expect(next.session.askStore.open).toHaveLength(1)
    await allow(next)
    await allow(next)
    await next.idle()
    expect(next.session.inbox.open).toEqual([])
  })

  it("looks after the end of the last turn, if the next one started before D1 had it", async () => {
    const { harness, booted } = await rested(1)
    prompt(booted.session, turnOf())
    await allow(booted)
    await booted.idle()
    booted.outbox.turnEnded()
    const ended = booted.log.lastSeq
    const { totals } = booted.session
    prompt(booted.session, turnOf())
    await until(() => booted.session.askStore.open.length > 0)
    await booted.outbox.flush()
    expect(restedOf(harness)).toEqual({ seq: ended, checkpoint: 2, totals })
    expectSame(harness)
    await allow(booted)
  })

  it("finds what the whole tables contain, whenever it was interrupted", async () => {
    const { harness, booted } = await rested(1)
    let commits = 0
    harness.onCommit = () => {
      commits += 1
      expectSame(harness)
    }
    prompt(booted.session, turnOf())
    prompt(booted.session, turnOf(), {}, { later: true })
    const taken = prompt(booted.session, turnOf())
    booted.session.prompts.cancelQueued(taken)
    await allow(booted)
    await booted.outbox.flush()
    await allow(booted)
    await booted.idle()
    await booted.outbox.flush()
    expect(restedOf(harness)?.seq).toBe(booted.log.lastSeq)
    expect(commits).toBeGreaterThan(10)
  })

  it("numbers checkpoints after those that forks made while it was idle", async () => {
    const { harness, booted } = await rested(1)
    booted.forkExport.start(undefined)
    harness.crash()
    const next = harness.boot()
    prompt(next.session, turnOf())
    await allow(next)
    await next.idle()
    expectSame(harness)
    const places = harness.twin.database.prepare("SELECT place FROM checkpoints ORDER BY place").all()
    expect(places.map(({ place }) => place)).toEqual([1, 2, 3])
  })
})
