// What the metrics report of late or failed deliveries: sessions, events and age, and failed calls by target.
import { expect, it } from "vitest"
import { lagTotals } from "../../src/observe/outbox-lag.ts"
import { storeFailures } from "../../src/store/store-error.ts"
import { makeApi } from "../http/api.ts"
import { LogDelivery } from "../session/delivery/log-delivery.ts"
import { parseExposition } from "./prometheus.ts"

/** Long before the sessions of other tests in this process, whose age is therefore zero. */
const LONG_AGO = Date.parse("2000-01-01T00:00:00Z")

const setUp = () => {
  const delivery = new LogDelivery()
  delivery.now = LONG_AGO
  const others = lagTotals(LONG_AGO)
  const lagAt = (seconds: number) => {
    const { sessions, events, seconds: age } = lagTotals(LONG_AGO + seconds * 1000)
    return { sessions: sessions - others.sessions, events: events - others.events, age }
  }
  const write = () => {
    delivery.log.hook("Notification")
    delivery.outbox.wrote([])
  }
  return { delivery, lagAt, write }
}

it("a session is behind from its first write until everything is delivered", async () => {
  const { delivery, lagAt, write } = setUp()
  expect(lagAt(0)).toEqual({ sessions: 0, events: 0, age: 0 })
  write()
  write()
  expect(lagAt(2)).toEqual({ sessions: 1, events: 2, age: 2 })
  await delivery.outbox.flush()
  expect(lagAt(3)).toEqual({ sessions: 0, events: 0, age: 0 })
})

it("stays behind while D1 or the Queue fails, and each failed call is counted", async () => {
  const { delivery, lagAt, write } = setUp()
  const before = { ...storeFailures() }
  write()
  delivery.db.down = true
  await delivery.outbox.flush()
  expect(storeFailures()).toEqual({ ...before, d1: before.d1 + 1 })
  delivery.db.down = false
  delivery.queueDown = true
  await delivery.outbox.flush()
  expect(storeFailures()).toEqual({ d1: before.d1 + 1, queue: before.queue + 1 })
  expect(lagAt(60)).toEqual({ sessions: 1, events: 1, age: 60 })
  delivery.queueDown = false
  await delivery.outbox.flush()
  expect(lagAt(61)).toEqual({ sessions: 0, events: 0, age: 0 })
})

it("a restarted process counts from when the oldest event was written, and an erased session is dropped", async () => {
  const { delivery, lagAt, write } = setUp()
  write()
  const at = delivery.log.events[0]?.at ?? 0
  delivery.db.down = true
  delivery.restart()
  await delivery.outbox.flush()
  expect(lagAt(0)).toMatchObject({ sessions: 1, events: 1 })
  expect(lagTotals(at + 5_000).seconds).toBeGreaterThanOrEqual(5)
  delivery.outbox.forgetLag()
  expect(lagAt(0)).toMatchObject({ sessions: 0, events: 0 })
})

it("the metrics show both only to the root key", async () => {
  const { call, makeKey } = makeApi()
  const { delivery, write } = setUp()
  write()
  const scrape = async (key?: string) => {
    const response = await call("GET", "/v1/admin/metrics", key === undefined ? {} : { key })
    return parseExposition(await response.text())
  }
  const families = await scrape()
  const first = (name: string) => families.get(name)?.samples[0]?.value
  expect(first("perch_isolate_outbox_sessions")).toBeGreaterThanOrEqual(1)
  expect(first("perch_isolate_outbox_events")).toBeGreaterThanOrEqual(1)
  expect(first("perch_isolate_outbox_age_seconds")).toBeGreaterThan(0)
  const errors = families.get("perch_isolate_store_errors_total")?.samples ?? []
  expect(errors.map(({ labels }) => labels["store"])).toEqual(["d1", "queue"])
  await delivery.outbox.flush()
  const { key } = await makeKey({ scopes: ["admin"] })
  expect([...(await scrape(key)).keys()].filter((name) => name.includes("isolate"))).toEqual([])
})
