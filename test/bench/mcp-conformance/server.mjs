// Runs the official MCP conformance suite against `/mcp` of a Perch that runs, and prints one line per scenario.
//
//   PERCH_KEY=… node test/bench/mcp-conformance/server.mjs FOLDER [ADDRESS]
//
// FOLDER is where the suite was installed, ADDRESS the server's (http://127.0.0.1:8787). The suite sends no key: a proxy on
// loopback adds it.
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

const proxy = http.createServer((request, response) => {
  const target = new URL(request.url ?? "/", address)
  const headers = { ...request.headers, authorization: `Bearer ${key}` }
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
run.on("exit", (code) => {
  proxy.closeAllConnections()
  proxy.close()
  process.exitCode = code ?? 1
})
