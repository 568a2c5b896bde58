// A state folder has one server at a time: a second one would run the same turns and alarms.
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { lockState } from "../../../scripts/local/state-lock.mjs"

let state: string

beforeEach(() => {
  state = fs.mkdtempSync(path.join(os.tmpdir(), "perch-lock-"))
  fs.mkdirSync(path.join(state, "v3"))
})
afterEach(() => fs.rmSync(state, { recursive: true, force: true }))

it("a folder that another server has locked is refused by name", async () => {
  const release = await lockState(state)
  await expect(lockState(state, 0)).rejects.toThrow(`the state folder ${state} is in use by another server`)
  release()
})

it("a folder whose server has ended is locked by the next one, which may have waited for it", async () => {
  const release = await lockState(state)
  const next = lockState(state)
  release()
  const releaseNext = await next
  await expect(lockState(state, 0)).rejects.toThrow("in use")
  releaseNext()
})
