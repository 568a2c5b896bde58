// The console's one-time code against a server that `npm start` runs: the printed address, and what a client without it
// receives.
import { spawn } from "node:child_process"
import http from "node:http"
import path from "node:path"
import { text } from "node:stream/consumers"
import { expect, inject, it } from "vitest"

const ROOT = path.resolve(import.meta.dirname, "../../..")
const { url, key } = inject("shared")
const { host, port } = new URL(url)

const post = (at: string, headers: Record<string, string>, body: object = {}) =>
  new Promise<{ readonly status: number; readonly body: Record<string, unknown> }>((resolve, reject) => {
    const options = { method: "POST", agent: false, headers: { "content-type": "application/json", ...headers } }
    const request = http.request(`${url}${at}`, options, (response) => {
      text(response).then((sent) => resolve({ status: response.statusCode ?? 0, body: JSON.parse(sent) }), reject)
    })
    request.once("error", reject)
    request.end(JSON.stringify(body))
  })
const signIn = (code: string, headers: Record<string, string> = { origin: url }) =>
  post("/v1/sign-in", headers, { code })

/** What `npm run signin` prints. */
const printed = (args: ReadonlyArray<string>, rootKey: string) =>
  new Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>((resolve, reject) => {
    const env = { ...process.env, PERCH_ROOT_KEY: rootKey }
    const child = spawn(process.execPath, ["scripts/signin.mjs", ...args], { cwd: ROOT, env })
    const done = Promise.all([text(child.stdout), text(child.stderr)])
    child.once("error", reject)
    child.once("exit", (code) => done.then(([out, err]) => resolve({ code, out, err }), reject))
  })

const codeIn = (address: string): string => new URL(address).hash.replace("#signin=", "")

it("`npm run signin` prints an address whose code grants access once, only to a page of this server", async () => {
  const { code: exit, out, err } = await printed(["--port", port], key)
  expect([exit, err]).toEqual([0, ""])
  expect(out).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${port}/#signin=[\\w-]{32}\n$`))
  const code = codeIn(out.trim())
  for (const headers of [
    {},
    { origin: "https://evil.example" },
    { host: "evil.example", origin: "http://evil.example" },
    { origin: url, "x-forwarded-for": "127.0.0.1" },
  ] as ReadonlyArray<Record<string, string>>)
    expect((await signIn(code, headers)).status).toBe(403)
  const { status, body } = await signIn(code)
  expect([status, body.tenant, body.label]).toEqual([201, "root", "console"])
  const read = await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${String(body.key)}` } })
  expect(read.status).toBe(200)
  await read.body?.cancel()
  expect(await signIn(code)).toMatchObject({ status: 401, body: { error: { type: "authentication_error" } } })
})

it("works under `localhost` too", async () => {
  const local = { host: host.replace("127.0.0.1", "localhost") }
  const made = await post("/v1/admin/sign-in-codes", { ...local, authorization: `Bearer ${key}` })
  expect(String(made.body.url)).toContain("http://localhost:")
  expect((await signIn(String(made.body.code), { ...local, origin: `http://${local.host}` })).status).toBe(201)
})

it("`npm run signin` reports what is wrong: a key that is not the server's, or no server", async () => {
  const wrongKey = await printed(["--port", port], "another-root-key-of-at-least-32-characters")
  expect([wrongKey.code, wrongKey.out]).toEqual([1, ""])
  expect(wrongKey.err).toContain("The API key is not valid")
  const noServer = await printed(["--port", "1"], key)
  expect([noServer.code, noServer.err]).toEqual([1, expect.stringContaining("no server answers there")])
})
