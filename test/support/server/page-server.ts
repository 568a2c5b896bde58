// A web server on loopback with a few pages and redirects, for the tests of one file; it records its requests.
import http from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, afterEach, beforeAll } from "vitest"

const PAGES: Readonly<Record<string, readonly [type: string, body: string]>> = {
  "/page": ["text/html", "<title>Birds</title><h1>Perch</h1><p>A perch is a <b>fish</b>.</p><script>no()</script>"],
  "/data": ["application/json", '{"birds":3}'],
  "/picture": ["image/png", "123456"],
  "/long": ["text/plain", `${"a".repeat(100_000)}the end`],
}

/** Registers the server of a test file; call it once, at the top. `asked` is empty at the start of each test. */
export const pageServer = () => {
  let server: http.Server
  let origin = ""
  const asked: Array<string> = []

  beforeAll(async () => {
    server = http.createServer((request, response) => {
      const path = request.url ?? "/"
      asked.push(`${request.method} ${path}`)
      if (path === "/moved") {
        response.writeHead(302, { location: "https://elsewhere.example.com/there" })
        return response.end()
      }
      if (path === "/near") {
        response.writeHead(301, { location: "/page" })
        return response.end()
      }
      const [type, body] = PAGES[path] ?? []
      response.writeHead(body === undefined ? 404 : 200, type === undefined ? {} : { "content-type": type })
      return response.end(body)
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterEach(() => {
    asked.length = 0
  })
  afterAll(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  return {
    get origin() {
      return origin
    },
    asked,
  }
}
