// Your server: it holds the key, makes a session for each page that asks for one, and gives the page a ticket for it.
//   npm run build
//   PERCH_URL=http://127.0.0.1:8787 PERCH_KEY=… PORT=8080 node examples/browser-sdk/server.mjs
import fs from "node:fs"
import http from "node:http"
import path from "node:path"
import { build } from "esbuild"
import { perchClient } from "perch/client/api"

const fileHere = (name) => path.join(import.meta.dirname, name)
const url = process.env.PERCH_URL ?? "http://127.0.0.1:8787"
const client = perchClient({ url, apiKey: process.env.PERCH_KEY ?? "" })

/** What a page needs to use a session for an hour. Return it only to users that may use this session. */
const openForPage = async () => {
  const session = await client.createSession({ title: "A page", options: { permissionMode: "default" } })
  const { ticket } = await session.ticket({ roles: ["observe", "prompt", "answer"], ttlSeconds: 3600 })
  return { url, sessionId: session.id, ticket }
}

const bundle = await build({
  entryPoints: [fileHere("page.mjs")],
  bundle: true,
  format: "esm",
  write: false,
})

const routes = {
  "GET /": async () => ["text/html", fs.readFileSync(fileHere("index.html"), "utf8")],
  "GET /page.js": async () => ["text/javascript", bundle.outputFiles[0].text],
  "POST /session": async () => ["application/json", JSON.stringify(await openForPage())],
}

const server = http.createServer(async (request, response) => {
  const route = routes[`${request.method} ${request.url}`]
  if (route === undefined) return response.writeHead(404).end()
  const [type, body] = await route()
  response.writeHead(200, { "content-type": `${type}; charset=utf-8` }).end(body)
})
server.listen(Number(process.env.PORT ?? 8080), "127.0.0.1", () => {
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address())
  console.log(`Open http://127.0.0.1:${port}`)
})
