// Requests of the command line to a local server with a self-signed certificate, and to other addresses.
import { afterEach, expect, it, vi } from "vitest"
import { EXIT, runCommand } from "../../../src/client/cli/cli.ts"
import { fetchOf } from "../../../src/client/cli/local-fetch.ts"
import { selfSignedServer } from "./self-signed-server.ts"

afterEach(() => vi.unstubAllGlobals())

it("perch ls lists the files of a session over https on loopback", async () => {
  const url = await selfSignedServer((request, response) => {
    const file = { path: "/workspace/a.txt", type: "file", size: 1, mode: 420, modified_at: "2026-01-01T00:00:00Z" }
    const body = { files: [file], next_cursor: null, key: request.headers.authorization }
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body))
  })
  const [out, errors]: [Array<string>, Array<string>] = [[], []]
  const code = await runCommand({
    args: ["ls", "s", "/workspace"],
    env: { PERCH_URL: url, PERCH_API_KEY: "key" },
    out: (line) => out.push(line),
    error: (line) => errors.push(line),
  })
  expect([code, errors]).toEqual([EXIT.done, []])
  expect(out).toEqual([expect.stringContaining("/workspace/a.txt")])
})

it("a body is sent whole, and a response arrives as from fetch", async () => {
  const url = await selfSignedServer(async (request, response) => {
    const sent: Array<Uint8Array> = []
    for await (const chunk of request) sent.push(chunk)
    const length = request.headers["content-length"]
    response.writeHead(request.method === "DELETE" ? 204 : 201, { etag: '"1"', "x-length": length ?? "" })
    response.end(request.method === "DELETE" ? undefined : Buffer.concat(sent))
  })
  const put = await fetchOf(url)(`${url}/a`, { method: "PUT", body: new Blob(["content"]) })
  expect([put.status, put.headers.get("etag"), put.headers.get("x-length")]).toEqual([201, '"1"', "7"])
  expect(await put.text()).toBe("content")
  const removed = await fetchOf(url)(`${url}/a`, { method: "DELETE" })
  expect([removed.status, removed.body]).toEqual([204, null])
})

it("a request can be aborted before and after its response has started", async () => {
  const url = await selfSignedServer((request, response) => {
    if (request.url === "/started") response.write("{")
  })
  const silent = new AbortController()
  const waiting = fetchOf(url)(url, { signal: silent.signal })
  silent.abort(new Error("enough"))
  await expect(waiting).rejects.toThrow("enough")
  const stop = new AbortController()
  const started = await fetchOf(url)(`${url}/started`, { signal: stop.signal })
  stop.abort()
  await expect(started.text()).rejects.toThrow()
})

it("a request to another address than the server's is verified", async () => {
  const url = await selfSignedServer((_, response) => void response.end("{}"))
  const other = `https://0.0.0.0:${new URL(url).port}/`
  await expect(fetchOf(url)(other)).rejects.toMatchObject({ cause: { code: "DEPTH_ZERO_SELF_SIGNED_CERT" } })
})

it("a connection that fails has its code, as from fetch", async () => {
  const url = "https://127.0.0.1:1"
  await expect(fetchOf(url)(url)).rejects.toMatchObject({ name: "TypeError", cause: { code: "ECONNREFUSED" } })
})

it.each([
  "http://127.0.0.1:1",
  "https://perch.example",
  "https://localhost.example",
  "https://127.0.0.1.example",
  "https://10.0.0.1",
])("%s is requested with the platform's fetch, which verifies certificates", async (url) => {
  const seen: Array<unknown> = []
  vi.stubGlobal("fetch", async (input: string) => {
    seen.push(input)
    return new Response()
  })
  await fetchOf(url)(url)
  expect(seen).toEqual([url])
})
