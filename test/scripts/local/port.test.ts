// The ports that `npm start` listens on.
import { execFile } from "node:child_process"
import net from "node:net"
import { promisify } from "node:util"
import { expect, it } from "vitest"
import { claimPort } from "../../../scripts/local/port.mjs"

it("a port that is taken is refused with the option that chooses another", async () => {
  const server = net.createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  try {
    const { port } = server.address() as net.AddressInfo // a TCP server has one
    await expect(claimPort(port, "127.0.0.1")).rejects.toThrow(`port ${port} is taken: stop what uses it, or`)
    await expect(claimPort(port, "127.0.0.1", "inspect-port")).rejects.toThrow("choose another with --inspect-port")
  } finally {
    server.close()
  }
})

it("an address that the machine does not have is refused by name", async () => {
  await expect(claimPort(8787, "192.0.2.1")).rejects.toThrow("this machine has no address 192.0.2.1: give one that")
})

it("0 is a free port, and processes that start together choose different ones", async () => {
  const module = JSON.stringify(new URL("../../../scripts/local/port.mjs", import.meta.url).href)
  const script = `Math.random = () => 0
    const { claimPort } = await import(${module})
    console.log(await claimPort(0, "127.0.0.1"), await claimPort(0, "127.0.0.1"))`
  const claimed = async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script])
    return stdout.trim().split(" ").map(Number)
  }
  const ports = (await Promise.all([claimed(), claimed(), claimed()])).flat()
  expect(Math.min(...ports)).toBeGreaterThan(0)
  expect(new Set(ports).size).toBe(6)
})
