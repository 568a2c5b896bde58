// `npm run signin` for servers at the addresses that `npm start` can listen on.
import { execFile } from "node:child_process"
import http from "node:http"
import type { AddressInfo } from "node:net"
import os from "node:os"
import path from "node:path"
import { promisify } from "node:util"
import { expect, it } from "vitest"

const ROOT = path.resolve(import.meta.dirname, "../..")
const signin = (...args: ReadonlyArray<string>) =>
  promisify(execFile)(process.execPath, ["scripts/signin.mjs", ...args], {
    cwd: ROOT,
    env: { PATH: process.env["PATH"], PERCH_ROOT_KEY: "root-key-of-the-server-under-test-000" },
  })

const hasIpv6 = Object.values(os.networkInterfaces()).some((all) => all?.some(({ address }) => address === "::1"))

it.each(["127.0.0.1", ...(hasIpv6 ? ["::1"] : [])])("prints the address of a server of --ip %s", async (ip) => {
  const server = http.createServer((request, response) => {
    const { port } = server.address() as AddressInfo // a TCP server has one
    expect(request.headers.host).toBe(ip === "::1" ? `[::1]:${port}` : `${ip}:${port}`)
    response.writeHead(201).end(JSON.stringify({ url: "http://perch/#signin=code" }))
  })
  await new Promise<void>((resolve) => server.listen(0, ip, resolve))
  try {
    const { port } = server.address() as AddressInfo // a TCP server has one
    expect((await signin("--port", `${port}`, "--ip", ip)).stdout).toBe("http://perch/#signin=code\n")
  } finally {
    server.close()
  }
})

it.each([
  [["--frobnicate"], "Unknown option '--frobnicate'.\n\nnpm run signin -- [options]\n"],
  [["--port", "-1"], "Option '--port' argument is ambiguous.\n\nnpm run signin -- [options]\n"],
  [["--port", "99999"], "--port 99999 is not a port"],
  [["--port", "0"], "--port 0 is not the port of a server"],
  [["--ip", "0.0.0.0"], "--ip 0.0.0.0 is not a loopback address"],
  [["--local-protocol", "ftp"], "--local-protocol ftp is neither http nor https"],
])("refuses %j by name", async (args, message) => {
  await expect(signin(...args)).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining(message) as string })
})
