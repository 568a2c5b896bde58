// The lock of a file: one process at a time, and none waits for a process that has ended.
import { fork } from "node:child_process"
import { once } from "node:events"
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { lockFile } from "../../scripts/file-lock.mjs"

let root = ""
let file = ""
beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), "perch-lock-"))
  file = path.join(root, "lock")
})
afterEach(() => fs.rmSync(root, { recursive: true, force: true }))

/** A process that reports when it has the lock, and keeps it until a message, if it `releases` it at all. */
const startProcess = (releases: boolean) => {
  const script = path.join(root, "process.mjs")
  const lock = path.resolve(import.meta.dirname, "../../scripts/file-lock.mjs")
  fs.writeFileSync(
    script,
    `import { lockFile } from ${JSON.stringify(lock)}
const release = await lockFile(${JSON.stringify(file)})
process.send("locked")
process.once("message", () => ${releases ? "(release(), process.disconnect())" : "{}"})`,
  )
  return fork(script, { stdio: "ignore" })
}

it("is taken again after its release, and by no other before", async () => {
  const release = await lockFile(file)
  expect(await lockFile(file, 0)).toBeUndefined()
  release?.()
  const again = await lockFile(file, 0)
  expect(again).toBeTypeOf("function")
  again?.()
})

it("of a process that was killed is taken by one of those that wait, and by the next after its release", async () => {
  const killed = startProcess(false)
  await once(killed, "message")
  const waiting = [startProcess(true), startProcess(true), startProcess(true)]
  let holders = 0
  const order = waiting.map(async (child) => {
    await once(child, "message")
    holders += 1
    const seen = [holders, await lockFile(file, 0)]
    holders -= 1
    child.send("release")
    await once(child, "exit")
    return seen
  })
  killed.kill("SIGKILL")
  expect(await Promise.all(order)).toEqual([
    [1, undefined],
    [1, undefined],
    [1, undefined],
  ])
})
