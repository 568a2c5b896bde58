// A backup's errors for a server that refuses, and for one that is not Perch.
import http from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, expect, it } from "vitest"
import { Server } from "../../../scripts/backup/server.mjs"

const open: Array<http.Server> = []
afterEach(() => open.splice(0).forEach((server) => server.close()))

const serve = (status: number, body: string) =>
  new Promise<Server>((resolve) => {
    const server = http.createServer((_, response) => response.writeHead(status).end(body))
    open.push(server)
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      resolve(new Server(`http://127.0.0.1:${port}/`, "key", undefined))
    })
  })

it.each([
  [404, "<html>not found</html>"],
  [200, "<html>hello</html>"],
  [404, "{}"],
])("an answer %i %s is not Perch's", async (status, body) => {
  const server = await serve(status, body)
  await expect(server.call("GET", "/v1/admin/keys")).rejects.toThrow(`what answers at ${server.url} is not Perch`)
})

it("a refusal has the server's status and message", async () => {
  const server = await serve(403, JSON.stringify({ error: { type: "permission_error", message: "Not this key." } }))
  await expect(server.call("GET", "/v1/admin/keys")).rejects.toMatchObject({ status: 403, message: "Not this key." })
})
