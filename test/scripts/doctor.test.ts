// `npm run doctor` in copies of the project, before `npm ci` and with things broken.
import { spawnSync } from "node:child_process"
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"

const ROOT = path.resolve(import.meta.dirname, "../..")
const FILES = [
  "scripts/output-errors.mjs",
  "scripts/setting-names.mjs",
  "scripts/typed-folder.mjs",
  "package.json",
  "package-lock.json",
  "wrangler.toml",
  "src/worker.ts",
  "src/schemas/version.ts",
]
const FOLDERS = ["migrations", "scripts/doctor", "scripts/local"]
let root = ""

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), "perch-doctor-"))
  for (const name of [...FILES, ...FOLDERS, "scripts/doctor.mjs"])
    fs.cpSync(path.join(ROOT, name), path.join(root, name), { recursive: true })
})
afterEach(() => fs.rmSync(root, { recursive: true, force: true }))

/** Makes the project's packages available to the copy. */
const installPackages = () => fs.symlinkSync(path.join(ROOT, "node_modules"), path.join(root, "node_modules"))

/** Port 0 is always free. */
const runWith = (env: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) => {
  const { PATH } = process.env
  const options = { cwd: root, env: { PATH, ...env }, encoding: "utf8" } as const
  const { status, stdout, stderr } = spawnSync(process.execPath, ["scripts/doctor.mjs", ...args], options)
  return { status, lines: stdout.split("\n"), stderr }
}
const run = (...args: ReadonlyArray<string>) => runWith({}, ...args)

describe("npm run doctor", () => {
  it("runs before `npm ci`, which it requests, and finds nothing else", () => {
    const { status, lines, stderr } = run("--port", "0")
    expect([status, stderr]).toEqual([1, ""])
    expect(lines.filter((line) => line.startsWith("FAIL"))).toEqual(["FAIL  packages: none are installed → npm ci"])
    expect(lines).toContain("1 to fix.")
  })

  it("exits with 0 if nothing is broken", () => {
    installPackages()
    const { status, lines } = run("--port=0")
    expect(lines.filter((line) => line.startsWith("FAIL"))).toEqual([])
    expect([status, lines.includes("Nothing is broken.")]).toEqual([0, true])
  })

  it.runIf(process.platform === "linux")("looks at the disk of the state folder", () => {
    installPackages()
    const { status, lines } = run("--port=0", "--persist-to", "/proc/perch")
    expect(lines.filter((line) => line.startsWith("FAIL"))).toEqual([
      "FAIL  disk: 0 MB are free for /proc/perch, and 200 are needed → free some disk space",
    ])
    expect(status).toBe(1)
  })

  it("looks at a state folder relative to the one in which npm was called", () => {
    installPackages()
    const typed = fs.mkdtempSync(path.join(root, "typed-"))
    fs.writeFileSync(path.join(typed, "state"), "")
    const { lines } = runWith({ npm_lifecycle_event: "doctor", INIT_CWD: typed }, "--port=0", "--persist-to", "state")
    expect(lines).toContain("FAIL  state: its path is not a folder → npm start -- --persist-to DIR")
  })

  it("reports each broken thing on a line, with what to do, and prints no secret", () => {
    installPackages()
    fs.writeFileSync(path.join(root, ".dev.vars"), "PERCH_ROOT_KEY=hunter2\nnonsense-hunter3\n", { mode: 0o600 })
    const file = path.join(root, "wrangler.toml")
    fs.writeFileSync(file, fs.readFileSync(file, "utf8").replace('name = "LANES"', 'name = "LINES"'))
    const { status, lines } = run("--port", "0")
    const failed = lines.filter((line) => line.startsWith("FAIL"))
    expect(failed).toEqual([
      expect.stringMatching(/^FAIL {2}\.dev\.vars: line 2 is not a setting → /),
      expect.stringMatching(/^FAIL {2}PERCH_ROOT_KEY: it has 7 characters/),
      expect.stringMatching(/^FAIL {2}wrangler\.toml: the binding LANES is missing → /),
    ])
    expect([status, lines.join("\n").includes("hunter")]).toEqual([1, false])
  })

  it.each([
    [["--frobnicate"], "--frobnicate is not an option"],
    [["--port"], "--port needs a value"],
    [["--port", "http"], "is not a port"],
    [["--port", "99999"], "--port 99999 is not a port"],
    [["--persist-to", ""], "--persist-to is empty"],
    [["--ip", "10.0.0.1"], "--ip 10.0.0.1 can be reached by other machines"],
    [["--url", "https://perch.example", "--port", "1"], "--port is about npm start on this machine"],
    [["--url", "perch.example"], "is not an address"],
  ])("refuses %j", (args, reason) => {
    const { status, lines } = run(...args)
    expect([status, lines[0]]).toEqual([1, expect.stringContaining(reason)])
  })

  it("prints its options a line each when one is unknown", () => {
    const { lines } = run("--frobnicate")
    expect(lines.slice(0, 3)).toEqual([
      "FAIL  doctor: --frobnicate is not an option.",
      "",
      "npm run doctor -- [options]",
    ])
  })
})
