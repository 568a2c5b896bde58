// A backup's errors for a server that refuses, and for one that is not Perch.
import http from "node:http"
import net, { type AddressInfo } from "node:net"
import { afterEach, expect, it } from "vitest"
import { Server } from "../../../scripts/backup/server.mjs"
import { selfSignedServer } from "../../client/cli/self-signed-server.ts"

const open: Array<net.Server> = []
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

/** A server that counts its connections; `pauses` are those of the backup's requests. */
const counting = async (scheme: string, server: net.Server, pauses: Array<number>) => {
  const seen = { connections: 0, server: new Server("http://unset", "key", undefined) }
  open.push(server.on("connection", () => (seen.connections += 1)))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo // a TCP server has one
  return Object.assign(seen, { server: new Server(`${scheme}://127.0.0.1:${port}`, "key", undefined, pauses) })
}

it("what no repetition changes is an error at once: a certificate, or a server without TLS", async () => {
  const plain = net.createServer((socket) => socket.on("error", () => {}).end("HTTP/1.1 400 Bad Request\r\n\r\n"))
  const seen = await counting("https", plain, [1, 1])
  await expect(seen.server.call("GET", "/v1/admin/keys")).rejects.toThrow(/^no answer from .*: (ERR_SSL_|EPROTO)/)
  expect(seen.connections).toBe(1)
})

it("an answer that breaks off is requested again", async () => {
  let answers = 0
  const http1 = http.createServer((_, response) => {
    answers += 1
    response.writeHead(200, { "content-length": "16", connection: "close" })
    if (answers === 1) response.write("{", () => response.destroy())
    else response.end('{"data":"whole"}')
  })
  const { server } = await counting("http", http1, [1, 1])
  expect(await server.call("GET", "/v1/admin/keys")).toHaveProperty("data")
  expect(answers).toBe(2)
})

it("a self-signed certificate is accepted on loopback", async () => {
  const url = await selfSignedServer((_, response) => response.end('{"data":"whole"}'))
  expect(await new Server(url, "key", undefined, []).call("GET", "/v1/admin/keys")).toEqual({ data: "whole" })
})
