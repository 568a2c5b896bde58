// The routes of hook events, dead letters and webhook secrets, over D1 as the queue's consumers write it.
import { Effect, Logger } from "effect"
import { describe, expect, it } from "vitest"
import { newWebhookSecret } from "../../../src/hooks/sign-webhook.ts"
import type { HookMessage } from "../../../src/store/delivery/hook-message.ts"
import { consumeHookBatch } from "../../../src/store/delivery/consumer.ts"
import { consumeDeadLetters, isDeadLetterQueue } from "../../../src/store/delivery/dead-letters.ts"
import { eraseSession } from "../../../src/store/sessions.ts"
import { signingSecrets } from "../../../src/store/webhook-secrets.ts"
import { batchOf, FakeMessage, FakeQueue } from "../../support/session/fake-queue.ts"
import { makeApi, ROOT_KEY } from "../api.ts"

const A = "0199a000-0000-7000-8000-00000000000a"
const B = "0199a000-0000-7000-8000-00000000000b"
const DEAD = "perch-hooks-dead"

interface Page {
  readonly data: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly next_cursor: string | null
}

const setUp = () => {
  const queue = new FakeQueue()
  const api = makeApi({ PERCH_ROOT_KEY: ROOT_KEY, HOOKS: queue.queue })
  const quiet = Logger.layer([])
  const env = { DB: api.database.d1 }
  const store = (bodies: ReadonlyArray<unknown>) => {
    const messages = bodies.map((body, at) => new FakeMessage(`q${at}`, body))
    return Effect.runPromise(Effect.provide(consumeHookBatch(batchOf(messages), env), quiet))
  }
  const bury = async (bodies: ReadonlyArray<unknown>, now = 1000) => {
    const messages = bodies.map((body, at) => new FakeMessage(`q${at}`, body))
    await Effect.runPromise(Effect.provide(consumeDeadLetters(batchOf(messages, DEAD), env, now), quiet))
    return messages.map(({ outcome }) => outcome)
  }
  const page = async (path: string, key?: string): Promise<Page> => {
    const response = await api.call("GET", path, key === undefined ? {} : { key })
    expect(response.status).toBe(200)
    return (await response.json()) as Page
  }
  return { ...api, queue, store, bury, page }
}

const event = (seq: number, more: Partial<HookMessage> = {}): HookMessage => ({
  id: `event-${more.session_id ?? A}-${seq}`,
  tenant: "root",
  session_id: A,
  seq,
  hook_event_name: seq % 2 === 0 ? "PreToolUse" : "Stop",
  at: 1_700_000_000_000 + Math.floor(seq / 3),
  input: { hook_event_name: "Stop", seq },
  outcome: {},
  ...more,
})
const placesOf = ({ data }: Page) => data.map(({ session_id, seq }) => `${session_id === A ? "A" : "B"}${String(seq)}`)

describe("GET /v1/hook-events", () => {
  it("returns the newest first, by session and by name, in pages that new events do not shift", async () => {
    const { store, page } = setUp()
    const of = (session_id: string) => Array.from({ length: 10 }, (_, at) => event(at + 1, { session_id }))
    await store([...of(A), ...of(B), event(99, { tenant: "other" })])
    const all = await page("/v1/hook-events?limit=1000")
    expect(all.next_cursor).toBeNull()
    expect(all.data).toHaveLength(20)
    expect(placesOf(all).slice(0, 4)).toEqual(["B10", "B9", "A10", "A9"])
    expect(all.data[0]).toEqual({
      id: `event-${B}-10`,
      session_id: B,
      seq: 10,
      hook_event_name: "PreToolUse",
      at: "2023-11-14T22:13:20.003Z",
      input: { hook_event_name: "Stop", seq: 10 },
      outcome: {},
    })
    const seen: Array<string> = []
    for (let cursor: string | null = "", round = 0; cursor !== null; round += 1) {
      const found: Page = await page(`/v1/hook-events?limit=3${cursor === "" ? "" : `&cursor=${cursor}`}`)
      seen.push(...placesOf(found))
      cursor = found.next_cursor
      await store([event(100 + round)])
    }
    expect(seen).toEqual(placesOf(all))
    expect(placesOf(await page(`/v1/hook-events?session=${B}&name=Stop`))).toEqual(["B9", "B7", "B5", "B3", "B1"])
    expect(placesOf(await page(`/v1/hook-events?session=${B}&limit=2`))).toEqual(["B10", "B9"])
    expect((await page("/v1/hook-events?name=Nothing")).data).toEqual([])
  })

  it("shows only the tenant's own events, and rejects foreign cursors", async () => {
    const { store, page, refused, call } = setUp()
    await store([event(1)])
    const made = await call("POST", "/v1/admin/keys", { json: { tenant: "acme" } })
    const { key } = (await made.json()) as { key: string }
    expect((await page("/v1/hook-events", key)).data).toEqual([])
    for (const cursor of ["x", "WyJhIiwiYiJd", "WyIxIiwiYiJd"]) {
      const { error } = await refused(400, "GET", `/v1/hook-events?cursor=${cursor}`)
      expect(error).toMatchObject({ field: "cursor" })
    }
    await refused(400, "GET", "/v1/hook-events?session=x")
  })
})

describe("dead letters of the queue", () => {
  it("are listed, redelivered once, and removed when they are stored", async () => {
    const { store, bury, page, call, queue } = setUp()
    expect(isDeadLetterQueue(DEAD)).toBe(true)
    expect(isDeadLetterQueue("perch-hooks")).toBe(false)
    const large = { hook_event_name: "Stop", text: "x".repeat(40_000) }
    expect(await bury([event(1), event(2, { input: large }), { not: "ours" }])).toEqual(["ack", "ack", "ack"])
    const dead = await page("/v1/hook-events/dead")
    expect(placesOf(dead)).toEqual(["A2", "A1"])
    expect(dead.data[1]).toMatchObject({
      id: `event-${A}-1`,
      died_at: "1970-01-01T00:00:01.000Z",
      reason: expect.stringContaining("gave up"),
      redelivered_at: null,
    })
    expect(JSON.stringify(dead.data[0]).length).toBeLessThan(17 * 1024)
    for (let again = 0; again < 2; again += 1) {
      const response = await call("POST", `/v1/hook-events/dead/event-${A}-1/redeliver`)
      expect(response.status).toBe(202)
    }
    expect(queue.sent).toHaveLength(2)
    expect((await page("/v1/hook-events/dead")).data[1]).toMatchObject({ redelivered_at: expect.any(String) })
    await store(queue.sent)
    expect(placesOf(await page("/v1/hook-events"))).toEqual(["A1"])
    expect(placesOf(await page("/v1/hook-events/dead"))).toEqual(["A2"])
  })

  it("disappear when their session has sent the events again, before or after", async () => {
    const { store, bury, page } = setUp()
    await store([event(1, { redelivery: true })])
    expect(await bury([event(1), event(2)])).toEqual(["ack", "ack"])
    expect(placesOf(await page("/v1/hook-events/dead"))).toEqual(["A2"])
    await store([event(2, { redelivery: true })])
    expect(placesOf(await page("/v1/hook-events/dead"))).toEqual([])
  })

  it("that fail again are listed once, and wait again", async () => {
    const { bury, page, call, queue } = setUp()
    await bury([event(1)])
    await call("POST", `/v1/hook-events/dead/event-${A}-1/redeliver`)
    await bury(queue.sent, 2000)
    expect((await page("/v1/hook-events/dead")).data).toMatchObject([
      { seq: 1, died_at: "1970-01-01T00:00:02.000Z", redelivered_at: null },
    ])
  })

  it("of another tenant or with an unknown id are a 404, and nothing is sent", async () => {
    const { bury, refused, queue } = setUp()
    await bury([event(1, { tenant: "other" })])
    await refused(404, "POST", `/v1/hook-events/dead/event-${A}-1/redeliver`)
    await refused(404, "POST", "/v1/hook-events/dead/nothing/redeliver")
    expect(queue.sent).toEqual([])
  })

  it("are deleted with their session", async () => {
    const { bury, page, database } = setUp()
    await bury([event(1), event(1, { session_id: B })])
    await Effect.runPromise(eraseSession(database.d1, "root", A, "2026-11-22T00:00:00.000Z"))
    expect(placesOf(await page("/v1/hook-events/dead"))).toEqual(["B1"])
    await bury([event(2)])
    expect(placesOf(await page("/v1/hook-events/dead"))).toEqual(["B1"])
  })

  it("wait in the queue while D1 is down", async () => {
    const { bury, database } = setUp()
    database.failBatchIn = 1
    expect(await bury([event(1)])).toEqual([{ retryIn: 600 }])
  })
})

describe("the secret of a tenant's webhooks", () => {
  const owner = (api: ReturnType<typeof setUp>) => ({ db: api.database.d1, tenant: "root", rootKey: ROOT_KEY })
  const fresh = (at: number) => ({ id: crypto.randomUUID(), text: newWebhookSecret(), at })
  const rotate = async (api: ReturnType<typeof setUp>, json: object = {}) => {
    const response = await api.call("POST", "/v1/webhooks/secret", { json })
    expect(response.status).toBe(201)
    return ((await response.json()) as { secret: string }).secret
  }

  it("is shown once, and signs together with the new one until the overlap ends", async () => {
    const api = setUp()
    const first = await rotate(api)
    expect(first).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    const second = await rotate(api, { overlap_seconds: 3600 })
    const now = Date.now()
    expect(await Effect.runPromise(signingSecrets(owner(api), fresh(now)))).toEqual([second, first])
    expect(await Effect.runPromise(signingSecrets(owner(api), fresh(now + 3_700_000)))).toEqual([second])
    const third = await rotate(api, { overlap_seconds: 0 })
    expect(await Effect.runPromise(signingSecrets(owner(api), fresh(Date.now() + 1)))).toEqual([third])
    const listed = await (await api.call("GET", "/v1/webhooks/secret")).text()
    expect(JSON.parse(listed)).toMatchObject({ data: [{ retires_at: null }] })
    const rows = JSON.stringify(api.database.rows("webhook_secrets"))
    for (const secret of [first, second, third]) {
      expect(listed).not.toContain(secret.slice(6))
      expect(rows).not.toContain(secret.slice(6))
    }
  })

  it("is created when it is first needed, once for all sessions", async () => {
    const api = setUp()
    const made = await Promise.all([1, 2, 3].map(() => Effect.runPromise(signingSecrets(owner(api), fresh(1)))))
    expect(new Set(made.map((secrets) => secrets.join())).size).toBe(1)
    expect(api.database.rows("webhook_secrets")).toHaveLength(1)
  })

  it("can't be opened with another root key or as another tenant's, and a new one can be created", async () => {
    const api = setUp()
    await rotate(api)
    const other = { ...owner(api), rootKey: "another-root-key-of-32-characters-or-more" }
    expect((await Effect.runPromise(Effect.result(signingSecrets(other, fresh(Date.now())))))._tag).toBe("Failure")
    api.database.sqlite.exec("UPDATE webhook_secrets SET tenant = 'acme'")
    const acme = { ...owner(api), tenant: "acme" }
    expect((await Effect.runPromise(Effect.result(signingSecrets(acme, fresh(Date.now())))))._tag).toBe("Failure")
    api.database.sqlite.exec("UPDATE webhook_secrets SET tenant = 'root', sealed = 'AAAA'")
    const made = await rotate(api)
    expect(await Effect.runPromise(signingSecrets(owner(api), fresh(Date.now())))).toEqual([made])
  })
})
