// Creating requests with an Idempotency-Key: the answer to a repetition, what is stored of it, and who may receive it.
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { SCOPES } from "../../../src/schemas/access.ts"
import { type Call, makeApi, ROOT_KEY } from "../api.ts"

const HOUR = 3_600_000

beforeEach(() => vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-11-01T12:00:00Z") }))
afterEach(() => vi.useRealTimers())

const later = (ms: number) => vi.setSystemTime(Date.now() + ms)

interface Made {
  readonly id: string
  readonly key: string
}

const setUp = (settings?: Parameters<typeof makeApi>[0]) => {
  const api = makeApi(settings)
  const post = async (path: string, json: unknown, name: string, more: Call = {}) => {
    const response = await api.call("POST", path, { json, headers: { "idempotency-key": name }, ...more })
    const body = (await response.json()) as Made & { readonly error?: { readonly message: string } } // asserted below
    const { status, headers } = response
    return { status, body, replayed: headers.get("idempotent-replayed"), retryAfter: headers.get("retry-after") }
  }
  return { ...api, post }
}

const ACME = { tenant: "acme", label: "production" }

it("a repetition creates no second key and returns the first answer, including its secret", async () => {
  const { post, database, call } = setUp()
  const first = await post("/v1/admin/keys", ACME, "one")
  expect(first).toMatchObject({ status: 201, replayed: null, body: { tenant: "acme" } })
  expect(await post("/v1/admin/keys", { label: "production", tenant: "acme" }, "one")).toEqual({
    ...first,
    replayed: "true",
  })
  expect(database.rows("api_keys")).toHaveLength(1)
  expect(database.rows("audit")).toHaveLength(1)
  expect((await call("GET", "/v1/sessions", { key: first.body.key })).status).toBe(200)
  const other = await post("/v1/admin/keys", ACME, "two")
  expect(other.body.id).not.toBe(first.body.id)
})

it("an answer is stored sealed, and neither the key nor the secret is stored in clear text", async () => {
  const { post, database } = setUp()
  const { body } = await post("/v1/admin/keys", ACME, "order-4711")
  const stored = JSON.stringify(database.rows("named_requests"))
  expect(stored).toContain('"sealed":"')
  for (const clear of [body.key, body.id, "order-4711", "production"]) expect(stored).not.toContain(clear)
})

it("another body, path or route under the same Idempotency-Key is a 422", async () => {
  const { post, create, database } = setUp()
  const [session, second] = [await create(), await create()]
  await post(`/v1/sessions/${session}/tickets`, { ttl_seconds: 60 }, "k")
  const others: ReadonlyArray<readonly [string, unknown]> = [
    [`/v1/sessions/${session}/tickets`, { ttl_seconds: 61 }],
    [`/v1/sessions/${second}/tickets`, { ttl_seconds: 60 }],
    ["/v1/admin/keys", ACME],
    ["/v1/webhooks/secret", {}],
  ]
  for (const [path, json] of others) {
    const { status, body } = await post(path, json, "k")
    expect(status, path).toBe(422)
    expect(body.error?.message).toBe("this Idempotency-Key or id was used before with another request")
  }
  expect(database.rows("api_keys")).toEqual([])
  expect(database.rows("webhook_secrets")).toEqual([])
})

it("tickets, rolled keys and the secrets of hooks are created once too", async () => {
  const { post, create, makeKey, database } = setUp()
  const { id } = await makeKey()
  const session = await create()
  const paths = [`/v1/sessions/${session}/tickets`, `/v1/admin/keys/${id}/roll`, "/v1/webhooks/secret"]
  for (const path of paths) {
    const first = await post(path, {}, path)
    expect(await post(path, {}, path), path).toEqual({ ...first, replayed: "true" })
  }
  expect(database.rows("api_keys")).toMatchObject([{ generation: 1 }])
  expect(database.rows("webhook_secrets")).toHaveLength(1)
})

it("tenants, and the API keys of one tenant, do not see each other's answers", async () => {
  const { post, makeKey } = setUp()
  const keys = [
    await makeKey({ scopes: SCOPES }),
    await makeKey({ scopes: SCOPES }),
    await makeKey({ tenant: "umbrella", scopes: SCOPES }),
  ]
  const ids = []
  for (const { key } of keys) {
    const made = await post("/v1/admin/keys", {}, "same", { key, headers: { "idempotency-key": "same" } })
    expect(made).toMatchObject({ status: 201, replayed: null })
    ids.push(made.body.id)
  }
  expect(new Set(ids).size).toBe(3)
})

it("a refused request does not use up its Idempotency-Key, and an invalid key is refused", async () => {
  const { post, database } = setUp()
  expect((await post("/v1/admin/keys", { tenant: "root" }, "k")).status).toBe(400)
  expect(await post("/v1/admin/keys", ACME, "k")).toMatchObject({ status: 201, replayed: null })
  expect((await post("/v1/admin/keys", ACME, "x".repeat(256))).status).toBe(400)
  expect(database.rows("api_keys")).toHaveLength(1)
})

it("a request that failed halfway is executed again and creates the same thing, not a second one", async () => {
  const { post, database, call } = setUp()
  database.sqlite.exec("CREATE TRIGGER lost BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'lost'); END")
  expect((await post("/v1/admin/keys", ACME, "k")).status).toBe(503)
  const [half] = database.rows("api_keys")
  database.sqlite.exec("DROP TRIGGER lost")
  const again = await post("/v1/admin/keys", ACME, "k")
  expect(again).toMatchObject({ status: 201, replayed: null, body: { id: half?.["id"] } })
  expect(database.rows("api_keys")).toHaveLength(1)
  expect((await call("GET", "/v1/sessions", { key: again.body.key })).status).toBe(200)
})

it("a repetition while the first request runs is a 409; one that was cut off is executed a minute later", async () => {
  const { post, database } = setUp()
  const { body } = await post("/v1/admin/keys", ACME, "k")
  // The state that a process leaves when it ends before its answer is stored.
  database.sqlite.exec("UPDATE named_requests SET sealed = NULL")
  expect(await post("/v1/admin/keys", ACME, "k")).toMatchObject({ status: 409, retryAfter: "5" })
  later(60_000)
  const again = await post("/v1/admin/keys", ACME, "k")
  expect(again).toMatchObject({ status: 201, replayed: null, body: { id: body.id } })
  expect(again.body.key).not.toBe(body.key)
  expect(database.rows("api_keys")).toHaveLength(1)
})

it("an answer is kept for 24 hours", async () => {
  const { post, database } = setUp()
  const first = await post("/v1/admin/keys", ACME, "k")
  later(24 * HOUR - 1)
  expect(await post("/v1/admin/keys", ACME, "k")).toMatchObject({ replayed: "true", body: { id: first.body.id } })
  later(1)
  expect(await post("/v1/admin/keys", ACME, "k")).toMatchObject({ status: 201, replayed: null })
  expect(database.rows("api_keys")).toHaveLength(2)
  expect(database.rows("named_requests")).toHaveLength(1)
})

it("an answer that was sealed under another root key is a 409 with that reason", async () => {
  const { post, env } = setUp()
  await post("/v1/admin/keys", ACME, "k")
  const next = `${ROOT_KEY}-2`
  Object.assign(env, { PERCH_ROOT_KEY: next })
  const { status, body } = await post("/v1/admin/keys", ACME, "k", { key: next, headers: { "idempotency-key": "k" } })
  expect(status).toBe(409)
  expect(body.error?.message).toMatch(/root key has changed/)
})

it("an answer that could not be stored is sent anyway", async () => {
  const { post, database } = setUp()
  database.sqlite.exec(
    "CREATE TRIGGER lost BEFORE UPDATE OF sealed ON named_requests BEGIN SELECT RAISE(ABORT, 'lost'); END",
  )
  expect(await post("/v1/admin/keys", ACME, "k")).toMatchObject({ status: 201, body: { tenant: "acme" } })
})

it("of several concurrent requests one is executed; the others get its answer or a 409", async () => {
  const { post, database } = setUp()
  const all = await Promise.all(Array.from({ length: 6 }, () => post("/v1/admin/keys", ACME, "k")))
  const made = all.filter(({ status }) => status === 201)
  expect(made.filter(({ replayed }) => replayed === null)).toHaveLength(1)
  expect(new Set(made.map(({ body }) => body.key)).size).toBe(1)
  expect(all.every(({ status }) => status === 201 || status === 409)).toBe(true)
  expect(database.rows("api_keys")).toHaveLength(1)
})
