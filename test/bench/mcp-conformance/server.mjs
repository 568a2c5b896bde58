// Runs the official MCP conformance suite against `/mcp` of a Perch that runs, and prints one line per scenario.
//
//   PERCH_KEY=… node test/bench/mcp-conformance/server.mjs FOLDER [ADDRESS]
//
// FOLDER is where the suite was installed, ADDRESS the server's (http://127.0.0.1:8787). The suite sends no key and names no session: a
// proxy on loopback adds both. The session has a file, and the tenant a command with the name of a prompt that the suite gets; all of
// them are removed again.
import { spawn } from "node:child_process"
import http from "node:http"
import path from "node:path"

const [folder, address = "http://127.0.0.1:8787"] = process.argv.slice(2)
const key = process.env["PERCH_KEY"]
if (folder === undefined || key === undefined) {
  console.error("Name the folder in which @modelcontextprotocol/conformance is installed, and set PERCH_KEY.")
  process.exit(2)
}
const suite = path.resolve(folder, "node_modules/@modelcontextprotocol/conformance/dist/index.js")

const ask = async (method, route, body, type = "application/json") => {
  const headers = { authorization: `Bearer ${key}`, ...(body === undefined ? {} : { "content-type": type }) }
  const answer = await fetch(new URL(route, address), { method, headers, ...(body === undefined ? {} : { body }) })
  if (!answer.ok) throw new Error(`${method} ${route} answered with status ${answer.status}`)
  return answer.status === 204 ? {} : answer.json()
}
const COMMAND = "/v1/commands/test_simple_prompt"
const { id: session } = await ask("POST", "/v1/sessions", "{}")
await ask("PUT", `/v1/sessions/${session}/files/workspace/notes.txt`, "A note.", "text/plain")
await ask("PUT", COMMAND, JSON.stringify({ template: "This is a simple prompt for testing." }))

const proxy = http.createServer((request, response) => {
  const target = new URL(request.url ?? "/", address)
  const headers = { ...request.headers, authorization: `Bearer ${key}`, "perch-session-id": session }
  const onward = http.request(target, { method: request.method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  onward.on("error", () => response.destroy())
  request.pipe(onward)
})
await new Promise((resolve) => proxy.listen(0, "127.0.0.1", () => resolve(undefined)))
const { port } = /** @type {import("node:net").AddressInfo} */ (proxy.address())
const run = spawn(process.execPath, [suite, "server", "--url", `http://127.0.0.1:${port}/mcp`], { stdio: "inherit" })
run.on("exit", async (code) => {
  await ask("DELETE", COMMAND)
  await ask("DELETE", `/v1/sessions/${session}`)
  proxy.closeAllConnections()
  proxy.close()
  process.exitCode = code ?? 1
})
