// The executable `perch-claude`, started without a usable key or address, and with an output that can't be written.
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import fs from "node:fs"
import path from "node:path"
import { text } from "node:stream/consumers"
import { expect, it } from "vitest"
import { echo, fakePerch } from "./fake-perch.ts"
import { prompt } from "./raw-process.ts"

const FILE = path.resolve(import.meta.dirname, "../../src/client/perch-claude.ts")

/** Runs it without input; returns its exit code and what it printed. */
const run = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) =>
  new Promise<{ readonly code: number | null; readonly out: string; readonly error: string }>((resolve) => {
    const child = execFile(
      process.execPath,
      [FILE, ...args],
      { env: { PATH: process.env["PATH"], ...env } },
      (_, out, error) => resolve({ code: child.exitCode, out, error }),
    )
    child.stdin?.end()
  })

const URL_ONLY = { PERCH_URL: "http://127.0.0.1:8787" }

it("a key file that can't be read is an error that names the variable", async () => {
  const { code, error } = await run(["-p"], { ...URL_ONLY, PERCH_API_KEY_FILE: "/no/such/file" })
  expect([code, error]).toEqual([
    1,
    "perch-claude: PERCH_API_KEY_FILE names a file that can't be read: ENOENT: no such file or directory, open '/no/such/file'\n",
  ])
})

it("`auth status` answers with JSON when the key file can't be read", async () => {
  const { code, out, error } = await run(["auth", "status"], { ...URL_ONLY, PERCH_API_KEY_FILE: "/no/such/file" })
  expect(JSON.parse(out)).toMatchObject({ loggedIn: false })
  expect([code, error.split("\n").length]).toEqual([0, 2])
})

it("an empty variable counts as missing", async () => {
  const { code, error } = await run(["-p"], { ...URL_ONLY, PERCH_API_KEY: "", PERCH_API_KEY_FILE: "" })
  expect([code, error]).toEqual([1, expect.stringContaining("PERCH_URL and PERCH_API_KEY must be set")])
})

it.runIf(process.platform === "linux")("output that can't be written is a failure with the reason", async () => {
  const server = await fakePerch({ line: echo() })
  const full = fs.openSync("/dev/full", "w")
  const env = { PATH: process.env["PATH"], PERCH_URL: server.url, PERCH_API_KEY: "key", PERCH_TRANSCRIPTS: "0" }
  const child = spawn(process.execPath, [FILE], { env, stdio: ["pipe", full, "pipe"] })
  fs.closeSync(full)
  try {
    child.stdin!.end(`${JSON.stringify(prompt("one"))}\n`)
    const [[code], errors] = await Promise.all([once(child, "exit"), text(child.stderr!)])
    expect(errors).toMatch(/^perch-claude: stdout can't be written: ENOSPC.*\n$/)
    expect(code).not.toBe(0)
  } finally {
    child.kill("SIGKILL")
    await server.close()
  }
})
