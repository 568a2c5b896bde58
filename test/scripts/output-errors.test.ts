// Scripts whose stdout is a full disk, or a pipe that its reader has closed.
import { spawn } from "node:child_process"
import { once } from "node:events"
import fs from "node:fs"
import path from "node:path"
import { text } from "node:stream/consumers"
import { expect, it } from "vitest"

const ROOT = path.resolve(import.meta.dirname, "../..")
const SCRIPTS = ["backup", "doctor", "signin"]
const argvOf = (script: string) => [path.join(ROOT, `scripts/${script}.mjs`), "--help"]

it.runIf(process.platform === "linux").each(SCRIPTS)(
  "npm run %s fails if its output can't be written",
  async (script) => {
    const full = fs.openSync("/dev/full", "w")
    const child = spawn(process.execPath, argvOf(script), { stdio: ["ignore", full, "pipe"] })
    fs.closeSync(full)
    const [[code], errors] = await Promise.all([once(child, "exit"), text(child.stderr!)])
    expect([code, errors]).toEqual([1, expect.stringMatching(/^perch: the output can't be written: ENOSPC/)])
  },
)

it.each(SCRIPTS)("npm run %s is silent if the reader of its output has ended", async (script) => {
  const child = spawn(process.execPath, argvOf(script), { stdio: ["ignore", "pipe", "pipe"] })
  child.stdout.destroy()
  const [[code], errors] = await Promise.all([once(child, "exit"), text(child.stderr)])
  expect([code, errors]).toEqual([0, ""])
})
