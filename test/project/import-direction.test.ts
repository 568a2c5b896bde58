// The lint rule that keeps imports pointing one way is real: every forbidden import is reported, every allowed one passes.
import { execFile } from "node:child_process"
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { promisify } from "node:util"
import { afterAll, expect, it } from "vitest"

const ROOT = path.resolve(import.meta.dirname, "../..")
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "perch-lint-"))

afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

/** Folders by stage: a file may import its own folder and the stages before its own. */
const STAGES = [
  ["schemas"],
  ["net"],
  ["limits", "model", "permissions", "hooks", "workspace", "views", "store", "recording", "observe"],
  ["tools", "mcp"],
  ["agent", "interop"],
  ["session"],
  ["http"],
]
/** A stage beside its own that a folder may import. */
const BESIDE: Record<string, string> = { store: "views", mcp: "tools" }
const CLIENTS = ["client", "console"]
const ALL = [...STAGES.flat(), ...CLIENTS]

const stageOf = (name: string) => STAGES.findIndex((stage) => stage.includes(name))

const allowed = (from: string, to: string): boolean => {
  if (from === to || BESIDE[from] === to) return true
  if (CLIENTS.includes(from) || CLIENTS.includes(to)) return to === "schemas"
  return stageOf(to) < stageOf(from)
}

it("reports exactly the imports that go against the order", async () => {
  const config = fs.readFileSync(path.join(ROOT, ".oxlintrc.json"), "utf8")
  const { $schema: _, ...rules } = JSON.parse(config) as Record<string, unknown> // a JSON object, as oxlint demands
  fs.writeFileSync(path.join(folder, ".oxlintrc.json"), JSON.stringify(rules))
  const expected: Array<string> = []
  for (const from of ALL) {
    for (const to of [...ALL, "worker.ts"]) {
      const file = `src/${from}/deep/${to.replace(".ts", "")}-user.ts`
      const target = to === "worker.ts" ? "../../worker.ts" : `../../${to}/thing.ts`
      fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
      fs.writeFileSync(path.join(folder, file), `import type { Thing } from "${target}"\nexport type Mine = Thing\n`)
      if (to === "worker.ts" || !allowed(from, to)) expected.push(file)
    }
  }
  const oxlint = path.join(ROOT, "node_modules/.bin/oxlint")
  const { stdout } = await promisify(execFile)(oxlint, ["-f", "unix"], { cwd: folder }).catch(
    (failed: { stdout: string }) => failed,
  )
  const reported = stdout.split("\n").filter((line) => line.includes("no-restricted-imports"))
  expect(reported.map((line) => line.split(":")[0]).toSorted()).toEqual(expected.toSorted())
})
