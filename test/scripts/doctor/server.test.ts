// What the doctor finds out about a server: scripted ones on loopback, good and broken.
import http from "node:http"
import net, { type AddressInfo } from "node:net"
import { afterEach, describe, expect, it } from "vitest"
import { lineOf } from "../../../scripts/doctor/finding.mjs"
import { checkModel, checkServed, checkServer } from "../../../scripts/doctor/server.mjs"
import { claimPort } from "../../../scripts/local/port.mjs"

const VERSIONS = { perch: "0.1.0", compatibility_date: "2026-10-01", migration: "0014_session_totals" }
const HEALTH = { status: "ok", versions: { ...VERSIONS, runtime: "workerd 1" }, bindings: { ok: true, missing: [] } }
const KEY = "root-key-of-the-server-under-test-000"

type Answer = readonly [status: number, body: unknown]
type Answers = Readonly<Record<string, Answer>>
const GOOD: Answers = {
  "/healthz": [200, HEALTH],
  "/readyz": [200, { status: "ready" }],
  "/v1/models": [401, { error: { type: "authentication_error" } }],
}

const open: Array<net.Server> = []
afterEach(async () => {
  for (const server of open.splice(0)) await new Promise((resolve) => server.close(resolve))
})

const serve = async (answers: Answers, seen: Array<http.IncomingHttpHeaders> = []): Promise<string> => {
  const server = http.createServer((request, response) => {
    seen.push(request.headers)
    const [status, body] = answers[(request.url ?? "").split("?")[0]!] ?? [404, "not here"]
    response.writeHead(status, { connection: "close" }).end(typeof body === "string" ? body : JSON.stringify(body))
  })
  open.push(server)
  server.listen(0, "127.0.0.1")
  await new Promise((resolve) => server.once("listening", resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}` // a TCP server has one
}

const found = async (answers: Answers, key?: string): Promise<string> => {
  const url = await serve(answers)
  const findings = await checkServer(url, { expected: VERSIONS, key, now: Date.now() })
  return findings.map(lineOf).join("\n").replaceAll(url, "URL")
}

describe("a server", () => {
  it("that is ready is shown with its version and runtime", async () => {
    expect(await found(GOOD)).toBe("ok    URL: Perch 0.1.0 is ready on workerd 1")
  })

  it("that lacks bindings is named by each of them", async () => {
    const health = { ...HEALTH, bindings: { ok: false, missing: ["DB", "LANES"] } }
    const text = await found({ ...GOOD, "/healthz": [200, health] })
    expect(text).toMatch(/^FAIL {2}URL: the binding DB is missing.*\nFAIL {2}URL: the binding LANES is missing/)
  })

  it("of another version than this checkout is noted, one from before versions too", async () => {
    const health = { ...HEALTH, versions: { ...VERSIONS, perch: "0.0.9" } }
    expect(await found({ ...GOOD, "/healthz": [200, health] })).toBe(
      "warn  URL: its Perch is 0.0.9, this checkout's is 0.1.0 → stop and start it again: npm start",
    )
    expect(await found({ ...GOOD, "/healthz": [200, { status: "ok" }] })).toContain("its last migration is undefined")
  })

  it("that is not ready gives its reasons to the root key", async () => {
    const refused = (issues: ReadonlyArray<string>): Answer => [
      503,
      { error: { issues: issues.map((field) => ({ field })) } },
    ]
    expect(await found({ ...GOOD, "/readyz": refused([]) })).toContain("PERCH_KEY=ROOT-KEY npm run doctor shows why")
    expect(await found({ ...GOOD, "/readyz": refused(["d1", "queue"]) }, KEY)).toContain("it is not ready: d1, queue")
    expect(await found({ ...GOOD, "/readyz": refused(["migrations"]) }, KEY)).toContain("its database lacks migrations")
    expect(await found({ ...GOOD, "/readyz": refused(["d1", "migrations"]) }, KEY)).toBe(
      "FAIL  URL: it is not ready: d1, migrations → docs/delivery.md, “Rebuild D1”",
    )
    expect(await found({ ...GOOD, "/readyz": [401, {}] }, KEY)).toContain("it does not take this key")
    const unreadable: Answer = [
      503,
      { error: { issues: [{ field: "settings", message: "PERCH_X is not readable." }] } },
    ]
    expect(await found({ ...GOOD, "/readyz": unreadable }, KEY)).toContain("PERCH_X is not readable.")
  })

  it("that npm start has started is shown with its broken database and its unreadable setting", async () => {
    const issues = [{ field: "d1" }, { field: "settings", message: "PERCH_X is not readable." }]
    const url = await serve({ "/readyz": [503, { error: { issues } }] })
    expect((await checkServed(url, KEY)).map(({ message }) => message)).toEqual([
      "PERCH_X is not readable.",
      "its database does not answer",
    ])
    expect(await checkServed(await serve(GOOD), KEY)).toEqual([])
  })

  it("without a root key is closed", async () => {
    const closed = { error: { type: "not_configured_error" } }
    expect(await found({ ...GOOD, "/v1/models": [503, closed] })).toContain(
      "no root key of at least 32 characters is set",
    )
  })

  it("that is not Perch, and one that is not there, are distinguished", async () => {
    expect(await found({ "/healthz": [200, "<html>"] })).toContain("FAIL  URL: what answers there is not Perch (200)")
    expect(await found({})).toContain("is not Perch (404)")
    const gone = `http://127.0.0.1:${await claimPort(0, "127.0.0.1")}`
    const findings = await checkServer(gone, { expected: VERSIONS, key: undefined, now: Date.now() })
    expect(findings.map(lineOf)).toEqual([`FAIL  ${gone}: nothing listens there → npm start`])
  })

  it("of the other protocol is named as such", async () => {
    const answering = (bytes: string) =>
      new Promise<number>((resolve) => {
        const server = net.createServer((socket) => socket.once("data", () => socket.end(bytes, "latin1")))
        open.push(server)
        server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port))
      })
    const look = async (url: string) =>
      (await checkServer(url, { expected: VERSIONS, key: undefined, now: Date.now() })).map(lineOf).join("\n")
    const alert = await answering("\u0015\u0003\u0001\u0000\u0002\u0002\u0016")
    expect(await look(`http://127.0.0.1:${alert}`)).toContain("over http → npm run doctor -- --local-protocol https")
    const plain = await answering("HTTP/1.1 400 Bad Request\r\n\r\n")
    expect(await look(`https://127.0.0.1:${plain}`)).toContain("over https → npm run doctor -- --local-protocol http")
  })

  it("that others reach is asked over https only", async () => {
    const findings = await checkServer("http://perch.example", { expected: VERSIONS, key: KEY, now: Date.now() })
    expect(findings).toMatchObject([{ level: "fail", fix: "--url https://perch.example" }])
  })

  it("can't write to the terminal", async () => {
    const health = { ...HEALTH, bindings: { ok: false, missing: ["\u001b[2Jx"] } }
    expect(await found({ ...GOOD, "/healthz": [200, health] })).not.toContain("\u001b")
  })
})

describe("the Messages API", () => {
  const tried = async (answer: Answer, seen: Array<http.IncomingHttpHeaders> = []) => {
    const url = await serve({ "/v1/models": answer }, seen)
    return (await checkModel({ ANTHROPIC_API_KEY: "sk-ant-test", ANTHROPIC_BASE_URL: url })).map(lineOf).join()
  }

  it("takes the key, refuses it, or is busy", async () => {
    const seen: Array<http.IncomingHttpHeaders> = []
    expect(await tried([200, { data: [] }], seen)).toBe("ok    Messages API: reached")
    expect(seen).toMatchObject([{ "x-api-key": "sk-ant-test", "anthropic-version": "2023-06-01" }])
    expect(await tried([401, {}])).toContain("FAIL  Messages API: it does not take ANTHROPIC_API_KEY")
    expect(await tried([529, {}])).toContain("warn  Messages API: it answered 529")
  })

  it("is not asked without a key, and gets none without https", async () => {
    expect(await checkModel({})).toMatchObject([{ level: "ok" }])
    const plain = { ANTHROPIC_API_KEY: "sk-ant-test", ANTHROPIC_BASE_URL: "http://proxy.example" }
    expect(await checkModel(plain)).toMatchObject([{ level: "warn", message: expect.stringContaining("not tried") }])
  })
})
