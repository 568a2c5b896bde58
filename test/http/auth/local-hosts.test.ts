// The hosts under which a local server answers.
import { describe, expect, it } from "vitest"
import { mayName } from "../../../src/http/auth/local-hosts.ts"
import { makeApi, ROOT_KEY } from "../api.ts"

const LOCAL = "localhost,127.0.0.1,[::1],perch.test"
const OWN = [
  "localhost",
  "LocalHost:8787",
  "localhost.",
  "localhost.:80",
  "127.0.0.1",
  "127.0.0.1:1",
  "[::1]",
  "[::1]:8787",
  "perch.test",
  "PERCH.test:443",
]
const OTHERS = [
  undefined,
  "",
  " ",
  ":8787",
  "evil.example",
  "evil.example:8787",
  "localhost.evil.example",
  "evil.localhost",
  "127.0.0.1.evil.example",
  "127.0.0.1.nip.io",
  "10.0.0.1",
  "0.0.0.0",
  "[::]",
  "[::1",
  "::1",
  "localhost..",
  "localhost:8787:8787",
  "localhost:123456",
  "localhost@evil.example",
  "user@localhost",
  "localhost/evil",
  "localhost,evil.example",
  "localhost evil.example",
  "ip",
  "<ip>",
]

describe("mayName", () => {
  it(`accepts ${OWN.length} spellings of its own hosts and rejects ${OTHERS.length} others`, () => {
    for (const host of OWN) expect([host, mayName(host, LOCAL)]).toEqual([host, true])
    for (const host of OTHERS) expect([host, mayName(host, LOCAL)]).toEqual([host, false])
  })

  it("accepts any IP address, and no name, if the server listens on all addresses", () => {
    for (const host of ["10.0.0.1", "192.168.7.7:80", "[fe80::1]:8787", "[::ffff:10.0.0.1]"])
      expect(mayName(host, "localhost,<ip>")).toBe(true)
    for (const host of ["evil.example", "ip", "1.2.3.4.nip.io", "a1.2.3.4"])
      expect(mayName(host, "localhost,<ip>")).toBe(false)
  })
})

describe("a local server", () => {
  const api = makeApi({ PERCH_ROOT_KEY: ROOT_KEY, PERCH_LOCAL_HOSTS: LOCAL })

  it("rejects a request for another host before it checks the key or the path", async () => {
    for (const path of ["/", "/healthz", "/v1/sessions", "/mcp", "/nowhere"]) {
      const { error } = await api.refused(403, "GET", path, { headers: { host: "evil.example" } })
      expect(error.type).toBe("permission_error")
    }
    const upgrade = { host: "evil.example", connection: "Upgrade", upgrade: "websocket" }
    await api.refused(403, "GET", `/v1/sessions/${crypto.randomUUID()}/socket`, { headers: upgrade })
  })

  it("answers under its own names; a deployment answers under any name", async () => {
    expect((await api.call("GET", "/healthz", { headers: { host: "localhost:8787" } })).status).toBe(200)
    expect((await makeApi().call("GET", "/healthz", { headers: { host: "perch.example.com" } })).status).toBe(200)
  })
})
