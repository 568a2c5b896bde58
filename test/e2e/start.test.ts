// `npm start` as a user runs it: it ends with all it started when npm alone is told to end.
import { spawn } from "node:child_process"
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { expect, it } from "vitest"
import { groupMembers } from "../../scripts/local/processes.mjs"
import { eventually } from "../support/client.ts"

it("npm start leaves no process behind when npm gets SIGTERM", async () => {
  const state = fs.mkdtempSync(path.join(os.tmpdir(), "perch-start-"))
  const npm = spawn("npm", ["start", "--", "--port", "0", "--persist-to", state], {
    cwd: path.resolve(import.meta.dirname, "../.."),
    env: { ...process.env, PERCH_ROOT_KEY: "start-test-key-of-at-least-32-characters" },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  })
  const group = npm.pid!
  try {
    let printed = ""
    npm.stdout.on("data", (chunk: Buffer) => (printed += String(chunk)))
    npm.stderr.on("data", (chunk: Buffer) => (printed += String(chunk)))
    await eventually(async () => /Perch is ready at/.exec(printed) ?? undefined, 50_000)
    expect(groupMembers(group).length).toBeGreaterThan(3)
    process.kill(group, "SIGTERM")
    await eventually(async () => (groupMembers(group).length === 0 ? true : undefined), 10_000)
  } finally {
    if (groupMembers(group).length > 0) process.kill(-group, "SIGKILL")
    fs.rmSync(state, { recursive: true, force: true })
  }
})
