// Signing in with a one-time code: who can create one, which key it returns, and every refusal.
import { afterEach, describe, expect, it, vi } from "vitest"
import { SCOPES } from "../../../../src/schemas/access.ts"
import { type Call, makeApi, ROOT_KEY } from "../../api.ts"

const CODES = "/v1/admin/sign-in-codes"
const HOST = "127.0.0.1:8787"
const PAGE = { host: HOST, origin: `http://${HOST}` }
const LOCAL = {
  PERCH_ROOT_KEY: ROOT_KEY,
  PERCH_LOCAL_SIGN_IN: "true",
  PERCH_LOCAL_HOSTS: "localhost,127.0.0.1,[::1],perch.test",
  LOCAL_DISK: { fetch: async () => new Response("1000000000") } as unknown as Fetcher, // the one method that is called
}

interface Made {
  readonly code: string
  readonly url: string
  readonly expires_at: string
}
interface Key {
  readonly id: string
  readonly key: string
  readonly expires_at: string
}

const open = (settings: Parameters<typeof makeApi>[0] = LOCAL) => {
  const api = makeApi(settings)
  const newCode = async (): Promise<Made> => {
    const response = await api.call("POST", CODES, { headers: { host: HOST } })
    expect([response.status, response.headers.get("cache-control")]).toEqual([201, "no-store"])
    return (await response.json()) as Made // asserted below
  }
  const sent = (code: string, headers: Record<string, string> = PAGE): Call => ({ key: null, headers, json: { code } })
  const signIn = (code: string, headers?: Record<string, string>) =>
    api.call("POST", "/v1/sign-in", sent(code, headers))
  const signedIn = async (code: string): Promise<Key> => (await (await signIn(code)).json()) as Key // asserted below
  const notSignedIn = async (status: number, code: string, headers?: Record<string, string>): Promise<string> =>
    (await api.refused(status, "POST", "/v1/sign-in", sent(code, headers))).error.message
  return { ...api, newCode, signIn, signedIn, notSignedIn }
}

afterEach(() => {
  vi.useRealTimers()
})

describe("a sign-in code", () => {
  it("is created with the root key, is long, and is in the fragment of the console's address", async () => {
    const { newCode } = open()
    const { code, url, expires_at } = await newCode()
    expect(code).toMatch(/^[\w-]{32}$/)
    expect(url).toBe(`http://${HOST}/#signin=${code}`)
    expect(Date.parse(expires_at) - Date.now()).toBeGreaterThan(9 * 60_000)
    expect((await newCode()).code).not.toBe(code)
  })

  it("returns one key: of the root key's tenant, with all scopes and an expiry, which is listed, logged and can be revoked", async () => {
    const { call, newCode, refused, signIn } = open()
    const { code } = await newCode()
    const response = await signIn(code)
    expect([response.status, response.headers.get("cache-control")]).toEqual([201, "no-store"])
    const made = (await response.json()) as Key // asserted here
    expect(made).toMatchObject({ tenant: "root", label: "console", scopes: SCOPES, revoked_at: null })
    expect(made.key).toMatch(/^perch_root_[0-9a-f]{16}_[0-9a-f]{56}$/)
    const hours = (Date.parse(made.expires_at) - Date.now()) / 3_600_000
    expect(hours).toBeGreaterThan(11.9)
    expect(hours).toBeLessThanOrEqual(12)

    const { key, id } = made
    expect((await call("GET", "/v1/models", { key, headers: PAGE })).status).toBe(200)
    const list = (await (await call("GET", "/v1/admin/keys", { headers: { host: HOST } })).json()) as {
      data: Array<object>
    }
    expect(list.data).toMatchObject([{ id, label: "console", tenant: "root" }])
    expect(JSON.stringify(list)).not.toContain(key)
    const audit = (await (await call("GET", "/v1/audit", { headers: { host: HOST } })).json()) as {
      data: Array<object>
    }
    expect(audit.data).toMatchObject([{ action: "key:created", subject: id, key_id: "root", tenant: "root" }])
    // It is not the root key: it can't reach other tenants.
    await refused(403, "GET", "/v1/admin/keys?tenant=acme", { key, headers: PAGE })
    await refused(403, "PUT", "/v1/admin/tenants/acme/limits", { key, headers: PAGE, json: {} })
    await refused(403, "POST", CODES, { key, headers: PAGE })
    // The request that signs out.
    expect((await call("DELETE", `/v1/admin/keys/${id}`, { key, headers: PAGE })).status).toBe(204)
    await refused(401, "GET", "/v1/models", { key, headers: PAGE })
  })

  it("sees the sessions of the root key", async () => {
    const { call, create, newCode, signedIn } = open()
    const id = await create({ headers: { host: HOST } })
    const { key } = await signedIn((await newCode()).code)
    expect((await call("GET", `/v1/sessions/${id}`, { key, headers: PAGE })).status).toBe(200)
  })

  it("is refused when it was used, has expired or never existed, each with what to do", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    const { database, newCode, notSignedIn, signIn } = open()
    const { code } = await newCode()
    expect((await signIn(code)).status).toBe(201)
    expect(await notSignedIn(401, code)).toBe("The sign-in code was used already. `npm run signin` prints a new one.")
    const late = await newCode()
    vi.advanceTimersByTime(600_001)
    expect(await notSignedIn(401, late.code)).toContain("has expired. `npm run signin`")
    for (const wrong of ["x", "A".repeat(32), ROOT_KEY, "' OR 1=1 --"])
      expect(await notSignedIn(401, wrong)).toBe("The sign-in code is not valid. `npm run signin` prints a new one.")
    expect(database.rows("api_keys")).toHaveLength(1)
  })

  it("is refused after twenty wrong guesses; the next code is not", async () => {
    const { newCode, notSignedIn, signIn } = open()
    const { code } = await newCode()
    for (let guess = 0; guess < 20; guess += 1) await notSignedIn(401, `guess ${guess}`)
    expect(await notSignedIn(401, code)).toContain("Too many wrong sign-in codes")
    expect((await signIn((await newCode()).code)).status).toBe(201)
  })

  it("of two concurrent requests returns a key to one", async () => {
    const { newCode, signIn } = open()
    const { code } = await newCode()
    const answers = await Promise.all(Array.from({ length: 8 }, () => signIn(code)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array.from({ length: 7 }, () => 401)])
  })

  it("is neither used up nor counted as a guess by a page of another origin or under another name", async () => {
    const { newCode, notSignedIn, signIn } = open()
    const { code } = await newCode()
    const others = [
      { host: HOST },
      { host: HOST, origin: "https://evil.example" },
      { host: "perch.test", origin: "http://perch.test" },
      { ...PAGE, "cf-connecting-ip": "192.0.2.1" },
    ]
    for (const headers of others) {
      for (let guess = 0; guess < 21; guess += 1) await notSignedIn(403, "guess", headers)
      expect(await notSignedIn(403, code, headers)).toContain("the page of this server on this machine")
    }
    // The host check rejects a rebound name even earlier.
    await notSignedIn(403, code, { host: "evil.example", origin: "http://evil.example" })
    expect((await signIn(code)).status).toBe(201)
  })

  it("is used up even if the key can't be stored", async () => {
    const { database, newCode, notSignedIn } = open()
    vi.spyOn(console, "error").mockImplementation(() => undefined)
    const { code } = await newCode()
    database.down = true
    await notSignedIn(503, code)
    database.down = false
    expect(await notSignedIn(401, code)).toContain("was used already")
    vi.restoreAllMocks()
  })

  it("needs a body with a code", async () => {
    const { refused } = open()
    for (const json of [{}, { code: 1 }, { code: "" }, { code: "x".repeat(201) }, { code: "x", key: "y" }])
      await refused(400, "POST", "/v1/sign-in", { key: null, headers: PAGE, json })
  })
})

describe("a sign-in code can be created", () => {
  it("only by the root key, whatever scopes another key has, and under a name of this machine", async () => {
    const { call, refused } = open()
    const headers = { host: HOST }
    await refused(401, "POST", CODES, { key: null, headers })
    await refused(401, "POST", CODES, { key: "wrong", headers })
    await refused(403, "POST", CODES, { headers: { host: "perch.test" } })
    const made = await call("POST", "/v1/admin/keys", { headers, json: { tenant: "acme", scopes: SCOPES } })
    const { key } = (await made.json()) as Key // asserted by the refusal
    expect((await refused(403, "POST", CODES, { key, headers })).error.message).toContain("Only the root key")
  })
})

describe("a server that is not local", () => {
  it.each([
    ["a deployment", { PERCH_ROOT_KEY: ROOT_KEY }],
    ["a deployment with the setting", { PERCH_ROOT_KEY: ROOT_KEY, PERCH_LOCAL_SIGN_IN: "true" }],
    ["a local server that other machines reach", { ...LOCAL, PERCH_LOCAL_SIGN_IN: "false" }],
  ])("%s makes no code and takes none", async (_, settings) => {
    const { notSignedIn, refused } = open(settings)
    const { error } = await refused(404, "POST", CODES, { headers: { host: HOST } })
    expect(error.message).toContain("for a server that `npm start` runs on loopback")
    await notSignedIn(404, "x")
  })
})
