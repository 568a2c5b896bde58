// A page through a running server: fetched by the Worker from a local server that its settings allow, read by a model, and paid
// for; the server's own addresses are blocked.
import http from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, expect, inject, it } from "vitest"
import { ApiLog } from "../../support/session/api-log.ts"
import { type Block, blocksOf, PerchClient } from "../../support/server/client.ts"
import { call, promptFor, scriptName, textAnswer } from "../../support/session/scripts.ts"

const shared = inject("shared")
const perch = new PerchClient(shared)
const api = new ApiLog(shared.apiUrl)

const HTML =
  "<!doctype html><html><head><title>Birds</title><style>p{}</style></head><body><h1>Perch</h1>" +
  "<ul><li>A <a href='/fish'>fish</a></li><li>A place to sit</li></ul><pre><code>1\n 2</code></pre></body></html>"

let server: http.Server
let origin = ""

beforeAll(async () => {
  server = http.createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" })
    response.end(HTML)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

it("WebFetch and curl read a page that the settings allow, and nothing of the server itself or of a blocked address", async () => {
  const [name, page] = [scriptName("web"), scriptName("page")]
  await api.set(page, { allowNoTools: true, turns: [textAnswer("A fish, or a place to sit.")] })
  const fetches = [`${origin}/birds`, `${shared.url}/healthz`, "http://192.168.0.1/"].map((url) =>
    call("WebFetch", { url, prompt: `[[script:${page}]] What is a perch?` }),
  )
  const shell = call("Bash", { command: `curl -s ${origin}/ | grep -o '<h1>.*</h1>'` })
  await api.set(name, [{ content: fetches }, { content: [shell] }, textAnswer("Done.")])
  const id = await perch.createSession({
    model: "claude-sonnet-4-5",
    permissionMode: "bypassPermissions",
    shell_network: true,
  })
  const messages = await perch.query(id, promptFor(name))
  const results = new Map(
    messages
      .flatMap(blocksOf)
      .filter((block): block is Block => block.type === "tool_result")
      .map((block) => [block.tool_use_id, block]),
  )
  const [birds, own, closed] = fetches.map((use) => results.get(use.id))
  expect(birds).toMatchObject({ content: "A fish, or a place to sit." })
  expect(own?.content).toMatch(
    /^127\.0\.0\.1:\d+ answered with status 403 Forbidden\.\nNothing else of the answer was read\.$/,
  )
  expect(closed).toMatchObject({ is_error: true, content: expect.stringContaining("not a public address") })
  expect(results.get(shell.id)).toMatchObject({ content: "<h1>Perch</h1>" })
  const asked = await api.requests(page)
  expect(asked).toHaveLength(1)
  expect(JSON.stringify(asked[0]?.body)).toContain(
    JSON.stringify("Title: Birds\n\n# Perch\n\n- A [fish](/fish)\n- A place to sit\n\n```\n1\n 2\n```").slice(1, -1),
  )
  expect(await perch.json("GET", `/v1/sessions/${id}/cost`)).toMatchObject({
    model_usage: { "claude-haiku-5-5": { inputTokens: 100 }, "claude-sonnet-4-5": { inputTokens: 300 } },
  })
})
