// `npm start` where it can't serve: in a clone that is not ready for it, and with a port that is taken.
import { execFile } from "node:child_process"
import fs from "node:fs"
import net from "node:net"
import os from "node:os"
import path from "node:path"
import { promisify } from "node:util"
import { expect, it } from "vitest"
import { claimPort } from "../../scripts/local/port.mjs"

const ROOT = path.resolve(import.meta.dirname, "../..")

it("says that the packages are not installed", async () => {
  const clone = fs.mkdtempSync(path.join(os.tmpdir(), "perch-clone-"))
  try {
    for (const name of ["scripts", "package.json", "package-lock.json"])
      fs.cpSync(path.join(ROOT, name), path.join(clone, name), { recursive: true })
    const started = promisify(execFile)(process.execPath, ["scripts/start.mjs", "--port", "0"], { cwd: clone })
    await expect(started).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining("FAIL  packages: none are installed → npm ci") as string,
    })
  } finally {
    fs.rmSync(clone, { recursive: true, force: true })
  }
})

it("refuses an inspector's port that is taken, or that is its own", async () => {
  const server = net.createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const state = fs.mkdtempSync(path.join(os.tmpdir(), "perch-inspected-"))
  const start = (...args: ReadonlyArray<string>) =>
    promisify(execFile)(process.execPath, ["scripts/start.mjs", "--persist-to", state, "--inspect", ...args], {
      cwd: ROOT,
      env: { PATH: process.env["PATH"], PERCH_ROOT_KEY: "root-key-of-the-server-under-test-000" },
    })
  try {
    const { port } = server.address() as net.AddressInfo // a TCP server has one
    await expect(start("--port", "0", "--inspect-port", `${port}`)).rejects.toMatchObject({
      code: 1,
      stderr: `perch: port ${port} is taken: stop what uses it, or choose another with --inspect-port\n`,
    })
    const free: number = await claimPort(0, "127.0.0.1")
    await expect(start("--port", `${free}`, "--inspect-port", `${free}`)).rejects.toMatchObject({
      code: 1,
      stderr: `perch: --inspect-port ${free} is the port of the server: choose another\n`,
    })
  } finally {
    server.close()
    fs.rmSync(state, { recursive: true, force: true })
  }
})
