// Deliveries of a tenant's webhooks, with a clock that the test advances: retries, disabling, limits, a process that dies.
import { Effect } from "effect"
import { beforeEach, describe, expect, it, vi } from "vitest"
import type { FetchOrder, GuardedFetch } from "../../src/net/guarded-fetch.ts"
import { FetchError } from "../../src/net/guarded-fetch.ts"
import type { CreateWebhook } from "../../src/schemas/api/webhooks.ts"
import { newWebhookSecret } from "../../src/hooks/sign-webhook.ts"
import { Deliverer } from "../../src/webhooks/deliverer.ts"
import { WebhookBook } from "../../src/webhooks/webhook-book.ts"
import { webhookEvent } from "../../src/webhooks/webhook-event.ts"
import { openTwin } from "../workspace/sql-twin.ts"

const HOUR = 3_600_000
const SECRET = newWebhookSecret()

interface Call {
  readonly url: string
  readonly id: string
  readonly at: number
}

/** A tenant's object: its book and deliverer, the clock, its alarm, and a receiver. */
class Tenant {
  now = 1_700_000_000_000
  alarmAt: number | null = null
  timers: Array<{ readonly at: number; readonly work: () => void }> = []
  readonly calls: Array<Call> = []
  /** Status codes of the next answers; 0 is a broken connection, and undefined an answer that never arrives. */
  status: (call: Call) => number | undefined = () => 200
  headers: Record<string, string> = {}
  readonly twin = openTwin()
  book!: WebhookBook
  deliverer!: Deliverer

  constructor() {
    this.boot()
  }

  /** A new process from what is stored. */
  boot(): void {
    const now = () => this.now
    this.book = new WebhookBook({ sql: this.twin.sql, now, random: () => 0 })
    const fetch: GuardedFetch = (url, order: FetchOrder) => {
      const call = { url, id: order.headers?.["webhook-id"] ?? "", at: this.now }
      this.calls.push(call)
      const status = this.status(call)
      if (status === undefined) return Effect.never
      if (status === 0) return Effect.fail(new FetchError({ kind: "failed", message: "away" }))
      const headers = new Headers(this.headers)
      return Effect.succeed({ url, status, statusText: "", headers, bytes: new Uint8Array(), cut: false })
    }
    const arm = (at: number) => (this.alarmAt = at)
    this.deliverer = new Deliverer({
      book: this.book,
      fetch,
      open: async (sealed) => sealed,
      arm,
      later: (ms, work) => void this.timers.push({ at: this.now + ms, work }),
      keepAlive: () => undefined,
      now,
    })
  }

  webhook(id: string, more: Partial<CreateWebhook> = {}): void {
    this.book.create(
      id,
      { url: `https://example.com/${id}`, events: ["**"], ...more },
      { sealed: SECRET, fingerprint: id },
    )
  }

  offer(...ids: ReadonlyArray<string>): void {
    const events = ids.map((id, seq) => ({
      ...webhookEvent(id, "ask:opened", this.now, { n: seq }),
      session_id: "s",
      seq,
    }))
    this.book.offer(events)
  }

  async settle(): Promise<void> {
    this.deliverer.pump()
    await this.deliverer.settled()
  }

  /** Fires the alarms until `until`, as the object does. */
  async pass(ms: number): Promise<void> {
    const until = this.now + ms
    for (let rounds = 0; this.alarmAt !== null && this.alarmAt <= until; rounds += 1) {
      if (rounds > 5000) throw new Error("the alarm does not come to rest")
      this.now = Math.max(this.now, this.alarmAt)
      this.alarmAt = null
      this.book.tidy()
      await this.settle()
    }
    this.now = until
  }

  state(webhook: string, id: string) {
    return this.book.delivery(webhook, id)
  }
}

let tenant: Tenant
beforeEach(() => {
  tenant = new Tenant()
})

describe("an event", () => {
  it("is delivered once to each webhook that subscribes to it, however often it is offered", async () => {
    tenant.webhook("all")
    tenant.webhook("results", { events: ["sdk:result/*"] })
    tenant.webhook("asks", { events: ["nothing", "ask:*"] })
    tenant.webhook("off", { enabled: false })
    tenant.offer("e1")
    tenant.offer("e1")
    await tenant.settle()
    tenant.offer("e1")
    await tenant.settle()
    expect(tenant.calls.map(({ url }) => url).toSorted()).toEqual([
      "https://example.com/all",
      "https://example.com/asks",
    ])
    expect(tenant.state("all", "e1")).toMatchObject({ state: "delivered", attempts: 1, last_status: 200 })
    expect(tenant.state("results", "e1")).toBeUndefined()
  })

  it("from before its webhook was created or enabled is not delivered", async () => {
    const early = webhookEvent("early", "ask:opened", tenant.now - 1, {})
    tenant.webhook("w")
    tenant.book.offer([{ ...early, session_id: "s", seq: 1 }])
    tenant.book.update("w", { enabled: false })
    tenant.now += 1000
    const meanwhile = webhookEvent("meanwhile", "ask:opened", tenant.now - 500, {})
    tenant.book.update("w", { enabled: true })
    tenant.book.offer([{ ...meanwhile, session_id: "s", seq: 2 }])
    await tenant.settle()
    expect(tenant.calls).toEqual([])
  })

  it("whose address is down is retried for a day with the same id, and then listed as failed", async () => {
    tenant.webhook("w")
    tenant.status = () => 0
    tenant.offer("e1")
    await tenant.settle()
    expect(tenant.state("w", "e1")).toMatchObject({ state: "pending", attempts: 1, last_status: null })
    await tenant.pass(30 * HOUR)
    expect(tenant.calls.length).toBe(11)
    expect(new Set(tenant.calls.map(({ id }) => id))).toEqual(new Set(["e1"]))
    expect(tenant.state("w", "e1")).toMatchObject({ state: "failed", attempts: 11, next_attempt_at: null })
    tenant.status = () => 204
    tenant.book.redeliver("w", "e1")
    await tenant.settle()
    expect(tenant.state("w", "e1")).toMatchObject({ state: "delivered", attempts: 12 })
  })

  it.each([301, 400, 404, 429, 500, 503])("answered with %i is retried", async (status) => {
    tenant.webhook("w")
    const answers = [status, 200]
    tenant.status = () => answers.shift()
    tenant.offer("e1")
    await tenant.settle()
    expect(tenant.state("w", "e1")).toMatchObject({ state: "pending", last_status: status })
    await tenant.pass(10_000)
    expect(tenant.state("w", "e1")).toMatchObject({ state: "delivered", attempts: 2 })
  })

  it("is retried by the next process when this one dies during the delivery", async () => {
    tenant.webhook("w")
    tenant.status = () => undefined
    tenant.offer("e1")
    tenant.deliverer.pump()
    await Promise.resolve()
    expect(tenant.state("w", "e1")).toMatchObject({ state: "pending", attempts: 0 })
    expect(tenant.alarmAt).not.toBeNull()
    tenant.boot()
    tenant.status = () => 200
    await tenant.pass(60_000)
    expect(tenant.state("w", "e1")).toMatchObject({ state: "delivered" })
  })

  it("whose outcome can't be stored is attempted again at the next alarm, and not before", async () => {
    tenant.webhook("w")
    tenant.offer("e1")
    const full = vi.spyOn(tenant.book, "attempted").mockImplementation(() => {
      throw new Error("database or disk is full")
    })
    await tenant.settle()
    await tenant.pass(90_000)
    expect(tenant.calls.length).toBe(4)
    full.mockRestore()
    await tenant.pass(60_000)
    expect(tenant.calls.length).toBe(5)
    expect(tenant.state("w", "e1")).toMatchObject({ state: "delivered", attempts: 1 })
  })

  it("of an erased session is no longer delivered", async () => {
    tenant.webhook("w")
    tenant.status = () => 0
    tenant.offer("e1", "e2")
    await tenant.settle()
    const before = tenant.calls.length
    tenant.book.forget("s")
    await tenant.pass(30 * HOUR)
    expect(tenant.calls.length).toBe(before)
    expect(tenant.book.deliveries("w", { limit: 10 }, undefined)).toEqual([])
  })
})

describe("a webhook", () => {
  it("is disabled after three days in which every attempt failed, and receives events again once it is enabled", async () => {
    tenant.webhook("w")
    tenant.status = () => 500
    for (let day = 0; day < 4; day += 1) {
      tenant.offer(`e${day}`)
      await tenant.settle()
      await tenant.pass(24 * HOUR)
    }
    expect(tenant.book.read("w")).toMatchObject({ enabled: false, disabled_reason: "failing", pending: 0 })
    const calls = tenant.calls.length
    tenant.offer("late")
    await tenant.pass(24 * HOUR)
    expect(tenant.calls.length).toBe(calls)
    tenant.status = () => 200
    expect(tenant.book.update("w", { enabled: true })).toMatchObject({ enabled: true, failing_since: null })
    tenant.offer("new")
    await tenant.settle()
    expect(tenant.state("w", "new")).toMatchObject({ state: "delivered" })
  })

  it("that fails sometimes stays enabled", async () => {
    tenant.webhook("w")
    for (let day = 0; day < 10; day += 1) {
      tenant.status = () => (day % 2 === 0 ? 500 : 200)
      tenant.offer(`e${day}`)
      await tenant.settle()
      await tenant.pass(24 * HOUR)
    }
    expect(tenant.book.read("w")).toMatchObject({ enabled: true, failing_since: null })
  })

  it("whose address answers 410 is disabled at once", async () => {
    tenant.webhook("w")
    tenant.status = () => 410
    tenant.offer("e1", "e2")
    await tenant.settle()
    expect(tenant.book.read("w")).toMatchObject({ enabled: false, disabled_reason: "gone", pending: 0 })
  })

  it("that is disabled during an attempt gets no other one, also after it is enabled again", async () => {
    tenant.webhook("w")
    tenant.offer("e1")
    tenant.status = () => {
      tenant.book.update("w", { enabled: false })
      return 500
    }
    await tenant.settle()
    expect(tenant.state("w", "e1")).toMatchObject({
      state: "failed",
      attempts: 1,
      last_status: 500,
      next_attempt_at: null,
    })
    expect(tenant.book.read("w")).toMatchObject({ enabled: false, pending: 0 })
    tenant.status = () => 200
    tenant.book.update("w", { enabled: true })
    await tenant.pass(24 * HOUR)
    expect(tenant.calls).toHaveLength(1)
  })

  it("that fails receives one delivery at a time, and does not delay a working one", async () => {
    tenant.webhook("bad")
    tenant.webhook("good")
    tenant.status = ({ url }) => (url.endsWith("bad") ? 500 : 200)
    for (let n = 0; n < 200; n += 1) tenant.offer(`e${n}`)
    await tenant.settle()
    const good = tenant.calls.filter(({ url }) => url.endsWith("good"))
    expect(good.length).toBe(200)
    await tenant.pass(4000)
    // Eight are sent in parallel before the address's state is known; then one in each round.
    const bad = tenant.calls.filter(({ url }) => url.endsWith("bad"))
    expect(bad.length).toBeLessThan(220)
    tenant.status = () => 200
    await tenant.pass(60_000)
    expect(tenant.book.read("bad")).toMatchObject({ pending: 0, failing_since: null })
  })

  it("that does not answer holds up no retry of another one", async () => {
    tenant.webhook("hangs")
    tenant.webhook("fails")
    tenant.status = ({ url }) => (url.endsWith("hangs") ? undefined : 500)
    tenant.offer("one")
    tenant.deliverer.pump()
    await expect.poll(() => tenant.state("fails", "one")?.attempts).toBe(1)
    const [timer] = tenant.timers.splice(0)
    expect(timer?.at).toBe(tenant.now + 5000)
    tenant.now += 5000
    timer?.work()
    await expect.poll(() => tenant.state("fails", "one")?.attempts).toBe(2)
    expect(tenant.state("hangs", "one")?.attempts).toBe(0)
  })

  it("is also signed with the previous secret until that expires", async () => {
    tenant.webhook("w")
    const [next] = [newWebhookSecret()]
    tenant.book.rollSecret("w", next, HOUR)
    tenant.offer("e1")
    expect(
      tenant.book.due(
        () => false,
        () => 0,
      )[0]?.sealed,
    ).toEqual([next, SECRET])
    tenant.now += HOUR
    expect(
      tenant.book.due(
        () => false,
        () => 0,
      )[0]?.sealed,
    ).toEqual([next])
  })

  it("lists deliveries in pages without gap or repeat, and drops those that ended three days ago", async () => {
    tenant.webhook("w")
    for (let n = 0; n < 25; n += 1) {
      tenant.now += n % 3
      tenant.offer(`e${n}`)
    }
    await tenant.settle()
    const seen: Array<string> = []
    for (let before: readonly [number, string] | undefined; ;) {
      const page = tenant.book.deliveries("w", { limit: 7 }, before)
      seen.push(...page.map(({ id }) => id))
      const last = page.at(-1)
      if (last === undefined) break
      before = [Date.parse(last.created_at), last.id]
    }
    expect(seen.length).toBe(25)
    expect(new Set(seen).size).toBe(25)
    expect(tenant.book.deliveries("w", { state: "pending", limit: 7 }, undefined)).toEqual([])
    await tenant.pass(4 * 24 * HOUR)
    expect(tenant.book.deliveries("w", { limit: 7 }, undefined)).toEqual([])
  })
})
