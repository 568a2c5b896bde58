// The command line of `npm run backup`: what it refuses before it sends a request.
import { execFile } from "node:child_process"
import fs from "node:fs"
import http from "node:http"
import type { AddressInfo } from "node:net"
import os from "node:os"
import path from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, it } from "vitest"

const ROOT = path.resolve(import.meta.dirname, "../..")
let folder = ""

beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "perch-backup-"))
  fs.mkdirSync(path.join(folder, "sessions"))
})
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

const refusal = async (args: ReadonlyArray<string>, key = "root-key-of-the-server-under-test-000") => {
  const env = { PATH: process.env["PATH"], PERCH_KEY: key }
  const argv = ["scripts/backup.mjs", ...args.map((one) => one.replace("DIR", folder))]
  const failed = promisify(execFile)(process.execPath, argv, { cwd: ROOT, env })
  return failed.then(
    () => "no error",
    ({ stderr }: { readonly stderr: string }) => stderr,
  )
}

it.each([
  [[], 'backup: one command is needed: export, restore or compare. Got "".\n\nPERCH_KEY=KEY npm run backup'],
  [["exprot", "--out", "DIR"], 'backup: one command is needed: export, restore or compare. Got "exprot".'],
  [["export"], "backup: export needs --out DIR.\n\nPERCH_KEY=KEY npm run backup"],
  [["export", "--out", "DIR", "--skip-existing"], "backup: export has no option --skip-existing."],
  [["export", "--out", "DIR", "--skip-erased", "DIR"], "backup: export has no option --skip-erased."],
  [["restore", "--in", "DIR", "--out", "DIR"], "backup: restore has no option --out."],
  [["compare", "--in", "DIR", "--skip-existing"], "backup: compare has no option --skip-existing."],
  [["export", "--out", "DIR", "--bogus"], "backup: Unknown option '--bogus'.\n\nPERCH_KEY=KEY npm run backup"],
  [["export", "--out", "-x"], "backup: Option '--out' argument is ambiguous.\n\nPERCH_KEY=KEY npm run backup"],
  [["export", "--out", "DIR", "--concurrency", "1.5"], "--concurrency is a whole number from 1 to 32"],
  [
    ["export", "--out", "DIR", "--url", "https://perch.example?x=1"],
    "--url https://perch.example?x=1 is not an address",
  ],
  [["restore", "--in", "DIR", "--skip-erased", "DIR"], "has no erased.json"],
])("%j is refused", async (args, message) => {
  expect(await refusal(args)).toContain(message)
})

it.each([
  ["backup", "the folder in which npm was called"],
  ["test", "the working directory"],
])("with npm's script %s, a relative folder is relative to %s", async (script, of) => {
  const typed = fs.mkdtempSync(path.join(folder, "typed-"))
  const env = {
    PATH: process.env["PATH"],
    PERCH_KEY: "key",
    npm_lifecycle_event: script,
    INIT_CWD: typed,
  }
  const cwd = fs.mkdtempSync(path.join(folder, "cwd-"))
  const argv = [path.join(ROOT, "scripts/backup.mjs"), "compare", "--in", "nightly"]
  const failed: { readonly stderr: string } = await promisify(execFile)(process.execPath, argv, { cwd, env }).then(
    () => ({ stderr: "no error" }),
    (error: { readonly stderr: string }) => error,
  )
  const base = of === "the working directory" ? cwd : typed
  expect(failed.stderr).toBe(
    `backup: ${path.join(fs.realpathSync(base), "nightly")} contains no backup: it has no folder named sessions\n`,
  )
})

it("an export that the server refuses leaves no folder", async () => {
  const refuse = http.createServer((_, response) => {
    response.writeHead(401).end(JSON.stringify({ error: { type: "authentication_error", message: "Unknown key." } }))
  })
  await new Promise<void>((resolve) => refuse.listen(0, "127.0.0.1", () => resolve()))
  try {
    const { port } = refuse.address() as AddressInfo // a TCP server has one
    const out = path.join(folder, "parent/nightly")
    const text = await refusal(["export", "--out", out, "--url", `http://127.0.0.1:${port}`])
    expect(text).toBe("backup: Unknown key.\n")
    expect(fs.existsSync(path.dirname(out))).toBe(false)
  } finally {
    refuse.close()
  }
})

it("a key that no header can hold is refused, and not printed", async () => {
  const text = await refusal(["export", "--out", "DIR"], "line\nbreak")
  expect(text).toBe("backup: PERCH_KEY has a character that no key has, such as a space or a line break.\n")
})
