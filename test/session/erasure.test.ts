// The end of a session: repeated requests, and requests that arrive too late.
import { afterEach, expect, it, vi } from "vitest"
import type { Env } from "../../src/schemas/env.ts"
import { SessionErasure } from "../../src/session/erasure.ts"
import { answerFetch, type FetchParts } from "../../src/session/pages/fetch.ts"
import { Meta } from "../../src/session/storage/meta.ts"
import type { HookPack } from "../../src/store/delivery/hook-message.ts"
import { CALL_LIMIT_MS } from "../../src/store/store-error.ts"
import { type Booted, prompt, SessionHarness } from "../support/session/session-harness.ts"
import { FakeTenants } from "../support/session/tenants.ts"

const open: Array<SessionHarness> = []
afterEach(async () => {
  vi.useRealTimers()
  for (const harness of open.splice(0)) await harness.dispose()
})

/** A session, and the hook events that the Queue received from it. No model is called. */
const session = (env: Partial<Env> = {}) => {
  const sent: Array<string> = []
  const sendBatch = async (messages: ReadonlyArray<{ readonly body: HookPack }>) => {
    sent.push(...messages.flatMap(({ body }) => body.events.map((event) => event.hook_event_name)))
  }
  // Sessions call only the Queue's sendBatch.
  const HOOKS = { sendBatch } as unknown as Env["HOOKS"]
  const harness = new SessionHarness("http://127.0.0.1:9", {}, { HOOKS, ...env })
  open.push(harness)
  const booted = harness.boot()
  const { core } = booted.open
  const erasure = new SessionErasure(core.context, booted.life, booted.share)
  const resume = (next: Booted) => new SessionErasure(next.session.context, next.life, next.share).resume(next.open)
  return { harness, booted, sent, erase: () => erasure.erase(booted.open), resume }
}

/** Files use neither sockets nor their watch. */
const filesOf = ({ life }: Booted) => ({ life }) as unknown as FetchParts

/** A request whose body arrives in two chunks. */
const upload = (path: string) => {
  const pieces = new TransformStream<Uint8Array, Uint8Array>()
  const writer = pieces.writable.getWriter()
  const request = new Request(`http://session${path}`, {
    method: "PUT",
    body: pieces.readable,
    duplex: "half",
  } as RequestInit)
  return { request, write: (text: string) => writer.write(new TextEncoder().encode(text)), end: () => writer.close() }
}

const rowsOf = ({ twin }: SessionHarness) =>
  ["events", "inbox", "asks", "tool_runs", "files", "blobs", "checkpoints", "meta"].flatMap((table) =>
    twin.database
      .prepare(`SELECT * FROM ${table}`)
      .all()
      .map(() => table),
  )

it("a session that is erased twice at once is erased once, and both requests get the same receipt", async () => {
  const { harness, sent, erase } = session()
  const [first, second] = await Promise.all([erase(), erase()])
  expect(second).toEqual(first)
  expect(first).toMatchObject({ deleted: true, events: 1 })
  expect(sent).toEqual(["SessionEnd"])
  expect(rowsOf(harness)).toEqual(["meta"])
})

it("an upload that is in progress while its session is erased is not stored", async () => {
  const { harness, booted, erase } = session()
  const { request, write, end } = upload("/files/workspace/secret.txt")
  const answer = answerFetch(filesOf(booted), request)
  await write("first half, ")
  await erase()
  await Promise.all([write("second half"), end()])
  expect((await answer).status).toBe(404)
  expect(rowsOf(harness)).toEqual(["meta"])
})

it("a process that dies after the removal leaves the mark that the id was used", async () => {
  const { harness, erase } = session()
  harness.onRemoval = () => harness.crash()
  await erase()
  expect(rowsOf(harness)).toEqual(["meta"])
})

it("nothing is removed before the tenant's object has subtracted the session from its count", async () => {
  const tenants = new FakeTenants()
  const steps: Array<string> = []
  const tenant = tenants.getByName("test")
  const closeSession = async (args: { readonly session: string }) => {
    await new Promise((resolve) => setImmediate(resolve))
    await tenant.closeSession(args)
    steps.push("uncounted")
  }
  const { harness, erase } = session({ TENANTS: { getByName: () => ({ ...tenant, closeSession }) } })
  harness.onRemoval = () => steps.push("removed")
  await erase()
  expect(steps).toEqual(["uncounted", "removed"])
})

it("a session that the tenant's object could not subtract is erased at the next attempt", async () => {
  const tenant = new FakeTenants().getByName("test")
  let tries = 0
  const closeSession = async (args: { readonly session: string }) => {
    tries += 1
    if (tries === 1) throw new Error("the object was reset")
    return tenant.closeSession(args)
  }
  const { harness, booted, erase } = session({ TENANTS: { getByName: () => ({ ...tenant, closeSession }) } })
  await expect(erase()).rejects.toThrow("the object was reset")
  // D1 has removed it: it can't continue as before.
  expect(booted.life.state.tag).toBe("erasing")
  expect(() => prompt(booted.session, "more")).toThrow("the session is being deleted")
  expect(await erase()).toMatchObject({ deleted: true })
  expect(rowsOf(harness)).toEqual(["meta"])
})

it("a session that D1 could not remove continues as before, and no later attempt is made without a request", async () => {
  const { harness, booted, sent, erase, resume } = session()
  harness.database.down = true
  await expect(erase()).rejects.toThrow("eraseSession failed")
  harness.database.down = false
  expect(booted.life.state.tag).toBe("open")
  const next = harness.boot()
  expect(resume(next)).toBe(false)
  await next.idle()
  expect(next.life.state.tag).toBe("open")
  // D1 may still execute what it received just before.
  expect(new Meta(harness.twin.sql).get("erasing")).toBeDefined()
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + CALL_LIMIT_MS + 1_000 })
  expect(resume(next)).toBe(false)
  await next.idle()
  expect(next.life.state.tag).toBe("open")
  expect(new Meta(harness.twin.sql).get("erasing")).toBeUndefined()
  expect(sent).toEqual(["SessionEnd"])
})

/** D1 executes the next batch, and its answer is lost. */
const loseAnswer = ({ database }: SessionHarness) => {
  const batch = database.batch.bind(database)
  database.batch = async (statements) => {
    database.batch = batch
    await batch(statements)
    throw new Error("D1_ERROR: Network connection lost.")
  }
}

it("an erasure whose answer from D1 was lost is completed without another request", async () => {
  const { harness, booted, sent, erase } = session()
  loseAnswer(harness)
  await expect(erase()).rejects.toThrow("eraseSession failed")
  await booted.idle()
  expect(booted.life.state.tag).toBe("erased")
  expect(rowsOf(harness)).toEqual(["meta"])
  expect(sent).toEqual(["SessionEnd"])
})

it("an erasure whose answer was lost in an outage of D1 is completed after the outage, by another process too", async () => {
  const { harness, booted, erase, resume } = session()
  loseAnswer(harness)
  const first = harness.database.prepare.bind(harness.database)
  let isDown = true
  harness.database.prepare = (sql) => {
    if (isDown && sql.includes("AS erased")) throw new Error("D1_ERROR: Network connection lost.")
    return first(sql)
  }
  await expect(erase()).rejects.toThrow("eraseSession failed")
  await booted.idle()
  // It is not known whether D1 has removed it: it continues.
  expect(booted.life.state.tag).toBe("open")
  isDown = false
  const next = harness.boot()
  expect(resume(next)).toBe(false)
  await next.idle()
  expect(next.life.state.tag).toBe("erased")
  expect(rowsOf(harness)).toEqual(["meta"])
})

it("an erasure that is requested again while it is not known whether D1 has removed the session removes it", async () => {
  const { harness, booted, erase } = session()
  harness.database.down = true
  await expect(erase()).rejects.toThrow("eraseSession failed")
  harness.database.down = false
  expect(await erase()).toMatchObject({ deleted: true })
  await booted.idle()
  expect(rowsOf(harness)).toEqual(["meta"])
})

it("an erasure whose process dies after D1 has removed the session is completed by the next process", async () => {
  const forgotten: Array<number> = []
  let dies = true
  const forget = (_session: string, at: number): Promise<void> => {
    forgotten.push(at)
    if (!dies) return Promise.resolve()
    harness.crash()
    return Promise.reject(new Error("the process has died"))
  }
  // An erasure calls only this method.
  const WEBHOOKS = { getByName: () => ({ forget }) } as unknown as Env["WEBHOOKS"]
  const { harness, erase, resume } = session({ WEBHOOKS })
  await expect(erase()).rejects.toThrow()
  dies = false
  const next = harness.boot()
  expect(resume(next)).toBe(true)
  expect(() => prompt(next.session, "more")).toThrow("the session is being deleted")
  await next.idle()
  expect(next.life.state.tag).toBe("erased")
  expect(rowsOf(harness)).toEqual(["meta"])
  // The time of the erasure is that of the request.
  expect(forgotten).toEqual([forgotten[0], forgotten[0]])
})
