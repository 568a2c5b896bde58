// Whether `.dev.vars` and the settings in it can be used, on broken ones.
import { spawnSync } from "node:child_process"
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { lineOf } from "../../../scripts/doctor/finding.mjs"
import { checkSettings, readLines } from "../../../scripts/doctor/settings.mjs"

const KEY = "k".repeat(32)
let root = ""
const file = () => path.join(root, ".dev.vars")

beforeAll(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), "perch-settings-"))
})
afterAll(() => fs.rmSync(root, { recursive: true, force: true }))

const check = (text: string | null, environment: Record<string, string> = {}, mode = 0o600): ReadonlyArray<string> => {
  fs.rmSync(file(), { force: true })
  if (text !== null) {
    fs.writeFileSync(file(), text)
    fs.chmodSync(file(), mode)
  }
  return checkSettings(root, environment).findings.map(lineOf)
}
/** The lines that are not fine. */
const wrong = (...args: Parameters<typeof check>) => check(...args).filter((line) => !line.startsWith("ok"))

describe(".dev.vars", () => {
  it("need not be there, and is fine as npm start writes it", () => {
    expect(wrong(null)).toEqual([])
    expect(wrong(`# Settings of local development; never committed.\nPERCH_ROOT_KEY="${KEY}"\n`)).toEqual([])
    expect(wrong(`PERCH_ROOT_KEY=${KEY} # mine\r\nexport PERCH_LOG='debug'\n\nMY_OWN=1\n`)).toEqual([])
  })

  it("is reported with the number of its settings", () => {
    expect(check(`PERCH_ROOT_KEY="${KEY}"\n`)[0]).toMatch(/^ok +\.dev\.vars: 1 setting$/)
    expect(check(`PERCH_ROOT_KEY="${KEY}"\nPERCH_LOG=debug\n`)[0]).toMatch(/^ok +\.dev\.vars: 2 settings$/)
  })

  it("names the line that is not a setting, and prints nothing of it", () => {
    const lines = wrong(`PERCH_ROOT_KEY="${KEY}"\nsecret-text\nPERCH_LOG "debug"\nOPENAI_API_KEY="open\n`)
    expect(lines.map((line) => /line (\d)/.exec(line)?.[1])).toEqual(["2", "3", "4"])
    expect(lines.join()).not.toMatch(/secret-text|open$/)
  })

  it("is to be its owner's alone", () => {
    expect(wrong(`PERCH_LOG=debug\n`, {}, 0o644)).toEqual([expect.stringContaining("→ chmod 600 .dev.vars")])
  })

  it("is not to be in git", () => {
    const git = (...args: ReadonlyArray<string>) => spawnSync("git", args, { cwd: root, stdio: "ignore" }).status
    fs.writeFileSync(file(), "PERCH_LOG=debug\n")
    expect([git("init", "-q"), git("add", "-f", ".dev.vars")]).toEqual([0, 0])
    expect(wrong("PERCH_LOG=debug\n")).toEqual([expect.stringContaining("git rm --cached .dev.vars")])
    fs.rmSync(path.join(root, ".git"), { recursive: true })
  })

  it("is read as dotenv files are", () => {
    expect(readLines("A=1\nB=\"two # words\"\nC='3'\nD=\nE= five \nA=6")).toEqual({
      vars: { A: "6", B: "two # words", C: "3", D: "", E: "five" },
      wrong: [],
      twice: ["A"],
    })
  })
})

describe("keys", () => {
  it("that are short are refused with their length, also from the environment", () => {
    const line = expect.stringMatching(/^FAIL {2}PERCH_ROOT_KEY: it has 5 characters, and 32 are needed/)
    expect(wrong("PERCH_ROOT_KEY=short\n")).toEqual([line])
    expect(wrong(`PERCH_ROOT_KEY=${KEY}\n`, { PERCH_ROOT_KEY: "short" })).toEqual([line])
    expect(wrong("PERCH_ROOT_KEY=short\n", { PERCH_ROOT_KEY: KEY })).toEqual([])
  })

  it.each(["xxxxxxxx", "sk-ant-...", "<your key>", "your-api-key-here", "change-me", "CHANGEME", "$ANTHROPIC_API_KEY"])(
    "that are placeholders are refused: %s",
    (value) =>
      expect(wrong(`ANTHROPIC_API_KEY="${value}"\n`)).toEqual([
        expect.stringMatching(/^FAIL {2}ANTHROPIC_API_KEY: it is a placeholder/),
      ]),
  )

  it("of another kind than Anthropic's are doubted, unless another server takes them", () => {
    expect(wrong("ANTHROPIC_API_KEY=sk-proj-0123456789abcdef\n")).toEqual([expect.stringContaining("sk-ant-…")])
    expect(wrong(`ANTHROPIC_API_KEY=sk-ant-api03-${"a".repeat(40)}\n`)).toEqual([])
    expect(wrong("ANTHROPIC_API_KEY=any\nANTHROPIC_BASE_URL=http://127.0.0.1:4000\n")).toEqual([])
  })
})

describe("settings", () => {
  it.each([
    ["ANTHROPIC_BASE_URL=api.anthropic.com", "must be an address"],
    ["PERCH_LIMITS={requests:1}", "must be a JSON object"],
    ["PERCH_WORKSPACE_LIMITS=[]", "must be a JSON object"],
    ["PERCH_LOG=verbose", "must be quiet, requests, debug"],
    ["PERCH_INVOCATION_SECONDS=12m", "must be a whole number"],
    ["PERCH_RUNTIME=fast", "must be live, offline, record"],
    ["PERCH_CORS_ORIGINS=*", "must be origins"],
    ["PERCH_CORS_ORIGINS=https://app.example, https://app.example/", "must be origins"],
    ["PERCH_FETCH_ALLOW=http://10.0.0.7", "must be hosts"],
    ["PERCH_FETCH_RESOLVER=1.1.1.1", "must be an https address, or off"],
    ["PERCH_ROOTKEY=x1", "Perch has no such setting"],
  ])("%s is named", (line, reason) => expect(wrong(`${line}\n`)).toEqual([expect.stringContaining(reason)]))

  it("that are lists may have spaces after their commas", () => {
    expect(wrong("PERCH_CORS_ORIGINS=https://app.example, http://localhost:3000,\n")).toEqual([])
    expect(wrong("PERCH_FETCH_ALLOW=wiki.internal, 10.0.0.7:8080, [fd00::1]\nPERCH_FETCH_RESOLVER=off\n")).toEqual([])
  })
})
