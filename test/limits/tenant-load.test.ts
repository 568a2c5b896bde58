// A tenant's limits as isolates enforce them: near the limit counts are exact, and far from it nothing waits for a count.
import { describe, expect, it } from "vitest"
import type { Permit } from "../../src/limits/request-permits.ts"
import { TenantLoad } from "../../src/limits/tenant-load.ts"
import { DEFAULT_LIMITS, type LimitSettings } from "../../src/schemas/limits.ts"
import { FakeTenants } from "../support/session/tenants.ts"

/** Isolates that share one tenant's object, with a clock that the test advances. */
const opened = async (own: LimitSettings, isolates = 1) => {
  const clock = { now: 1_700_000_000_000 }
  const tenants = new FakeTenants({}, () => clock.now)
  const tenant = tenants.getByName("acme")
  const { limits } = await tenant.setLimits(own)
  const works: Array<Promise<unknown>> = []
  const access = { tenant, later: (work: Promise<unknown>) => void works.push(work), now: () => clock.now }
  const loads = Array.from({ length: isolates }, () => new TenantLoad(DEFAULT_LIMITS))
  const settled = async () => {
    while (works.length > 0) await works.shift()
  }
  return { clock, tenants, tenant, access, loads, limits, settled }
}

const admittedOf = async (permits: ReadonlyArray<Permit | Promise<Permit>>): Promise<number> =>
  (await Promise.all(permits)).filter(({ admitted }) => admitted).length

describe("requests", () => {
  it.each([1, 2, 7, 40, 99, 500])(
    "%i per minute are admitted over three isolates, and no more, until the minute is over",
    async (limit) => {
      const { access, loads, clock } = await opened({ requests_per_minute: limit }, 3)
      const send = (count: number) =>
        admittedOf(Array.from({ length: count }, (_, n) => loads[n % 3]!.requests.admit("key", access)))
      expect(await send(limit * 3 + 30)).toBe(limit)
      expect(await send(30)).toBe(0)
      clock.now += 59_999
      expect(await send(30)).toBe(0)
      clock.now += 1
      expect(await send(limit * 3 + 30)).toBe(limit)
    },
  )

  it("of one key end at its own limit, and those of another key continue up to the tenant's", async () => {
    const { access, loads } = await opened({ requests_per_minute: 30, requests_per_minute_per_key: 20 })
    const send = (key: string) => admittedOf(Array.from({ length: 50 }, () => loads[0]!.requests.admit(key, access)))
    expect(await send("one")).toBe(20)
    expect(await send("two")).toBe(10)
  })

  it("of a tenant far from the limit wait for no count once it is known, and are refused near the limit", async () => {
    const { access, loads, tenants, clock, settled } = await opened({ requests_per_minute: 5000 })
    const [load] = loads
    await load!.requests.admit("key", access)
    await settled()
    let admitted = 1
    let waited = 0
    for (let sent = 0; sent < 8000; sent += 1) {
      const permit = load!.requests.admit("key", access)
      if (permit instanceof Promise) waited += 1
      if ((await permit).admitted) admitted += 1
      if (sent % 10 === 0) await settled()
    }
    expect(admitted).toBe(5000)
    expect(waited).toBeLessThanOrEqual(1)
    // One call for a hundred requests.
    expect(tenants.calls.get("lease")).toBeLessThan(60)
    clock.now += 60_000
    expect(load!.requests.admit("key", access)).toMatchObject({ admitted: true, limit: 5000 })
  })

  it("return the remaining number and its reset time", async () => {
    const { access, loads, clock } = await opened({ requests_per_minute: 10 })
    const permits = []
    for (let sent = 0; sent < 11; sent += 1) permits.push(await loads[0]!.requests.admit("key", access))
    expect(permits.map(({ left }) => left)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0])
    expect(new Set(permits.map(({ until }) => until))).toEqual(new Set([clock.now + 60_000]))
  })

  it("are admitted when the counter can't be reached", async () => {
    const { access, loads } = await opened({ requests_per_minute: 10 })
    const lost = { ...access.tenant, lease: () => Promise.reject(new Error("gone")) }
    expect(await loads[0]!.requests.admit("key", { ...access, tenant: lost })).toMatchObject({ admitted: true })
  })

  it("follow limits that are changed", async () => {
    const { access, loads } = await opened({ requests_per_minute: 3 })
    expect(await admittedOf(Array.from({ length: 9 }, () => loads[0]!.requests.admit("key", access)))).toBe(3)
    const { limits } = await access.tenant.setLimits({ requests_per_minute: 5 })
    loads[0]!.adopt(limits)
    expect(await admittedOf(Array.from({ length: 9 }, () => loads[0]!.requests.admit("key", access)))).toBe(5)
  })
})

describe("running turns", () => {
  it("are at most as many as the limit, over three isolates, and free their slots when they end", async () => {
    const { access, loads, limits } = await opened({ running_turns: 5 }, 3)
    for (const load of loads) load.adopt(limits)
    const begin = (n: number) => loads[n % 3]!.turns.begin(`s${n}`, access)
    const begun = await Promise.all(Array.from({ length: 30 }, (_, n) => begin(n)))
    expect(begun.filter(Boolean)).toHaveLength(5)
    const first = begun.indexOf(true)
    // The same session already has its slot.
    expect(await begin(first)).toBe(true)
    expect(await begin(29)).toBe(false)
    loads[first % 3]!.turns.end(`s${first}`, access)
    expect(await begin(29)).toBe(true)
    expect(await begin(28)).toBe(false)
  })

  it("that resume after a restart or an answer are never refused", async () => {
    const { access, loads, limits } = await opened({ running_turns: 1 })
    loads[0]!.adopt(limits)
    expect(await loads[0]!.turns.begin("one", access)).toBe(true)
    expect(await loads[0]!.turns.resume("two", access)).toBe(true)
    expect(await loads[0]!.turns.begin("three", access)).toBe(false)
  })

  it("whose isolate died free their slots after ninety seconds, unless they are renewed", async () => {
    const { access, loads, limits, clock, settled } = await opened({ running_turns: 2 }, 2)
    for (const load of loads) load.adopt(limits)
    await loads[0]!.turns.begin("dies", access)
    await loads[1]!.turns.begin("lives", access)
    for (let beats = 0; beats < 3; beats += 1) {
      clock.now += 30_000
      loads[1]!.turns.renew("lives", access)
      await settled()
    }
    expect(await loads[1]!.turns.begin("next", access)).toBe(true)
    expect(await loads[1]!.turns.begin("another", access)).toBe(false)
  })

  it("of a tenant far from the limit start without waiting, and are reported at most once a second", async () => {
    const { access, loads, tenants, clock, settled } = await opened({ running_turns: 600 }, 2)
    for (let turn = 0; turn < 700; turn += 1) {
      expect(loads[0]!.turns.begin(`s${turn}`, access)).toBe(true)
      loads[0]!.turns.end(`s${turn}`, access)
    }
    expect(tenants.calls.get("reportTurns")).toBe(1)
    await settled()
    clock.now += 2000
    const begun = Array.from({ length: 700 }, (_, n) => loads[0]!.turns.begin(`t${n}`, access))
    expect(begun.filter((one) => one === true)).toHaveLength(600)
    await settled()
    clock.now += 2000
    loads[0]!.turns.renew("t0", access)
    await settled()
    // The other isolate counts them from its first report on.
    expect(loads[1]!.turns.begin("first", access)).toBe(true)
    await settled()
    expect(loads[1]!.turns.begin("second", access)).toBe(false)
  })
})

it("a clock that is set back by hours prolongs no window", async () => {
  const { access, loads, tenant, clock, settled } = await opened({ requests_per_minute: 5, running_turns: 1 }, 2)
  const send = () => admittedOf(Array.from({ length: 9 }, () => loads[0]!.requests.admit("key", access)))
  expect(await send()).toBe(5)
  await loads[0]!.turns.resume("lost", access)
  await tenant.reportTurns({ isolate: "lost", running: 7 })
  await tenant.failedSignIns({ count: 50 })
  clock.now -= 3 * 60 * 60 * 1000
  expect(await send()).toBe(5)
  expect(await loads[1]!.turns.begin("other", access)).toBe(true)
  await settled()
  expect((await tenant.limits()).used.running_turns).toBe(1)
  expect(await tenant.failedSignIns({ count: 1 })).toEqual({ count: 1, until: clock.now + 60_000 })
})

describe("open sessions", () => {
  it("are at most as many as the limit; the same id counts once, and erasing one frees a slot", async () => {
    const { access, loads, limits, settled } = await opened({ open_sessions: 4 }, 3)
    for (const load of loads) load.adopt(limits)
    const make = (n: number) => loads[n % 3]!.sessions.open(`s${n}`, access)
    const made = await Promise.all(Array.from({ length: 12 }, (_, n) => make(n)))
    expect(made.filter(Boolean)).toHaveLength(4)
    expect(await make(made.indexOf(true))).toBe(true)
    expect(await make(11)).toBe(false)
    loads[0]!.sessions.close(`s${made.indexOf(true)}`, access)
    await settled()
    expect(await make(11)).toBe(true)
    expect(await make(10)).toBe(false)
  })

  it("of a tenant far from the limit are created without waiting", async () => {
    const { access, loads, tenants, settled } = await opened({})
    for (let n = 0; n < 20; n += 1) expect(loads[0]!.sessions.open(`s${n}`, access)).toBe(true)
    await settled()
    expect(tenants.calls.get("openSession")).toBe(20)
  })
})

describe("usage", () => {
  it("is counted over all isolates: sessions until they are erased, turns until they end or are not renewed", async () => {
    const { access, loads, tenant, clock, limits, settled } = await opened({ running_turns: 10, open_sessions: 10 }, 2)
    const used = async () => (await tenant.limits()).used
    for (const [at, load] of loads.entries()) {
      load.adopt(limits)
      await load.sessions.open(`session ${at}`, access)
      await load.turns.begin(`session ${at}`, access)
    }
    expect(await used()).toEqual({ open_sessions: 2, running_turns: 2 })
    loads[0]?.turns.end("session 0", access)
    loads[0]?.sessions.close("session 0", access)
    await settled()
    expect(await used()).toEqual({ open_sessions: 1, running_turns: 1 })
    clock.now += 90_000
    expect(await used()).toEqual({ open_sessions: 1, running_turns: 0 })
  })
})
