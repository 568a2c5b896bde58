// How clients see the limits: 429 with its headers, an operator who is never locked out, limits per tenant, and addresses whose
// sign-ins fail.
import { describe, expect, it } from "vitest"
import { ROOT_KEY, makeApi } from "../../http/api.ts"

const limited = (limits: object) => makeApi({ PERCH_ROOT_KEY: ROOT_KEY, PERCH_LIMITS: JSON.stringify(limits) })
const tenantName = (): string => `t-${crypto.randomUUID().slice(0, 8)}`

describe("requests", () => {
  it("beyond the limit are 429 with Retry-After and the RateLimit fields, and reach no session", async () => {
    const { call, makeKey, sessions } = limited({ requests_per_minute: 5 })
    const { key } = await makeKey({ tenant: tenantName() })
    const responses = []
    for (let sent = 0; sent < 8; sent += 1) responses.push(await call("GET", "/v1/sessions", { key }))
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429, 429, 429])
    expect(responses[0]?.headers.get("ratelimit-policy")).toBe('"requests";q=5;w=60')
    expect(responses[0]?.headers.get("ratelimit")).toMatch(/^"requests";r=4;t=\d+$/)
    expect(responses[7]?.headers.get("ratelimit")).toMatch(/^"requests";r=0;t=\d+$/)
    const retry = Number(responses[7]?.headers.get("retry-after"))
    expect(retry).toBeGreaterThan(0)
    expect(retry).toBeLessThanOrEqual(60)
    expect(await responses[7]?.json()).toMatchObject({ type: "error", error: { type: "rate_limit_error" } })
    const made = sessions.byName.size
    expect((await call("POST", "/v1/sessions", { key, json: {} })).status).toBe(429)
    expect(sessions.byName.size).toBe(made)
  })

  it("of one tenant do not count for another, and the root key can still administer", async () => {
    const { call, makeKey } = limited({ requests_per_minute: 2 })
    const [one, two] = [await makeKey({ tenant: tenantName() }), await makeKey({ tenant: tenantName() })]
    const statuses = async (key: string) => {
      const all = []
      for (let sent = 0; sent < 3; sent += 1) all.push((await call("GET", "/v1/sessions", { key })).status)
      return all
    }
    expect(await statuses(one.key)).toEqual([200, 200, 429])
    expect(await statuses(two.key)).toEqual([200, 200, 429])
    for (let sent = 0; sent < 10; sent += 1) expect((await call("GET", "/v1/admin/keys")).status).toBe(200)
  })

  it("are refused with a sentence when the deployment's limits can't be parsed", async () => {
    for (const [setting, problem] of [
      ["{", "PERCH_LIMITS is not readable. It must be JSON"],
      ["[]", "PERCH_LIMITS is not readable. It must be JSON"],
      ['{"running_turns":1,"requests":1}', "PERCH_LIMITS is not readable (requests: is not a known field). It"],
      [
        '{"running_turns":-1}',
        "PERCH_LIMITS is not readable (running_turns: expected a value between 0 and 1000000000).",
      ],
      ['{"running_turns":1.5}', "PERCH_LIMITS is not readable (running_turns: expected an integer)."],
      ['{"running_turns":"1"}', "PERCH_LIMITS is not readable (running_turns must be an integer. Got a string)."],
    ] as const) {
      const { refused } = makeApi({ PERCH_ROOT_KEY: ROOT_KEY, PERCH_LIMITS: setting })
      expect((await refused(503, "GET", "/v1/sessions")).error.message).toContain(problem)
    }
  })

  it.each([
    ["PERCH_WORKSPACE_LIMITS", "nonsense", ""],
    ["PERCH_WORKSPACE_LIMITS", '{"file":1}', " (file: is not a known field"],
    ["PERCH_INVOCATION_SECONDS", "12m", ""],
    ["PERCH_INVOCATION_SECONDS", "-1", ""],
  ])("are refused with a sentence when %s is %j, and the server is not ready", async (name, setting, problem) => {
    const { refused } = makeApi({ PERCH_ROOT_KEY: ROOT_KEY, [name]: setting })
    const { error } = await refused(503, "POST", "/v1/query", { json: { prompt: "hello" } })
    expect(error).toMatchObject({
      type: "not_configured_error",
      message: expect.stringContaining(`${name} is not readable${problem}`),
    })
    const ready = await refused(503, "GET", "/readyz")
    expect(ready.error).toMatchObject({ message: "The server is not ready. The issues show why." })
    expect(ready.error.issues).toContainEqual({ field: "settings", message: error.message })
  })
})

describe("a tenant's own limits", () => {
  it("are set and read by the root key, read by the tenant's administrator, and apply at once", async () => {
    const { call, makeKey, refused } = makeApi()
    const tenant = tenantName()
    const path = `/v1/admin/tenants/${tenant}/limits`
    const { key } = await makeKey({ tenant, scopes: ["sessions:read", "admin"] })
    expect((await call("GET", "/v1/sessions", { key })).status).toBe(200)
    const set = await call("PUT", path, { json: { requests_per_minute: 3, running_turns: 7 } })
    expect(await set.json()).toMatchObject({
      own: { requests_per_minute: 3, running_turns: 7 },
      limits: { requests_per_minute: 3, running_turns: 7, queued_prompts: 100 },
      used: { open_sessions: 0, running_turns: 0, running_workflows: 0 },
    })
    expect(await (await call("GET", path, { key })).json()).toMatchObject({ own: { running_turns: 7 } })
    await refused(403, "PUT", path, { key, json: {} })
    await refused(403, "GET", "/v1/admin/tenants/other/limits", { key })
    await refused(400, "PUT", path, { json: { requests: 1 } })
    await refused(400, "PUT", path, { json: { running_turns: "many" } })
    expect((await call("PUT", path, { json: { requests_per_minute: 1 } })).status).toBe(200)
    expect((await call("GET", "/v1/sessions", { key })).status).toBe(200)
    await refused(429, "GET", "/v1/sessions", { key })
    expect((await call("PUT", path, { json: {} })).status).toBe(200)
    expect((await call("GET", "/v1/sessions", { key })).status).toBe(200)
  })
})

describe("failed sign-ins", () => {
  const from = (address: string) => ({ "cf-connecting-ip": address })
  const bad = (n: number) => `perch_acme_${n.toString(16).padStart(16, "0")}_${"0".repeat(48)}`

  it("are 429 after the limit, only for their address; a known key is still accepted, and D1 is not read", async () => {
    const { call, makeKey, database } = limited({ failed_sign_ins_per_minute: 10 })
    const { key } = await makeKey({ tenant: tenantName() })
    const [here, there] = [from(`192.0.2.${crypto.randomUUID()}`), from(`198.51.100.${crypto.randomUUID()}`)]
    expect((await call("GET", "/v1/sessions", { key, headers: here })).status).toBe(200)
    const statuses = []
    for (let n = 0; n < 14; n += 1) {
      statuses.push((await call("GET", "/v1/sessions", { key: bad(n), headers: here })).status)
    }
    expect(statuses).toEqual([...Array(10).fill(401), ...Array(4).fill(429)])
    expect((await call("GET", "/v1/sessions", { key: "nonsense", headers: here })).status).toBe(429)
    expect((await call("GET", "/v1/sessions?ticket=a.b", { key: null, headers: here })).status).toBe(401)
    expect((await call("GET", "/v1/sessions", { key, headers: here })).status).toBe(200)
    expect((await call("GET", "/v1/sessions", { key: bad(1), headers: there })).status).toBe(401)
    const refused = await call("GET", "/v1/sessions", { key: bad(99), headers: here })
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
    expect(database).toBeDefined()
  })

  it("with tickets count too; requests without credentials do not", async () => {
    const { call, create } = limited({ failed_sign_ins_per_minute: 3 })
    const id = await create()
    const headers = from(`203.0.113.${crypto.randomUUID()}`)
    const stream = (ticket: string) => call("GET", `/v1/sessions/${id}/events/stream${ticket}`, { key: null, headers })
    for (let n = 0; n < 6; n += 1) expect((await stream("")).status).toBe(401)
    const statuses = []
    for (let n = 0; n < 5; n += 1) statuses.push((await stream("?ticket=pt_bad.bad")).status)
    expect(statuses).toEqual([401, 401, 401, 429, 429])
  })
})
