// The server's first start on a state folder: nothing is answered before its database has all migrations.
import fs from "node:fs"
import net, { type AddressInfo } from "node:net"
import os from "node:os"
import path from "node:path"
import { setImmediate as nextTick } from "node:timers/promises"
import { expect, it } from "vitest"
import { startServer } from "../../support/server/server.ts"

/** A port that nothing listens on. */
const freePort = async (): Promise<number> => {
  const server = net.createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

it("a client that waits for the server is answered only after the migrations", async () => {
  const state = fs.mkdtempSync(path.join(os.tmpdir(), "perch-migrations-"))
  // A folder that is not new gets no copy of a migrated database.
  fs.mkdirSync(path.join(state, "v3/d1"), { recursive: true })
  const port = await freePort()
  const starting = startServer({ persistTo: state, port })
  let started = false
  void starting.finally(() => (started = true)).catch(() => undefined) // awaited below
  let migratedFirst: boolean | undefined
  while (!started && migratedFirst === undefined) {
    const response = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined) // it does not listen yet
    if (response?.ok === true) migratedFirst = fs.existsSync(path.join(state, "v3/migrated.json"))
    await nextTick()
  }
  const server = await starting
  await server.dispose()
  fs.rmSync(state, { recursive: true, force: true, maxRetries: 3 })
  expect(migratedFirst).toBe(true)
})
