// The check of the repository's layout finds errors in a small repository that was made for it.
import { execFileSync, spawnSync } from "node:child_process"
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { afterAll, beforeEach, expect, it } from "vitest"

const ROOT = path.resolve(import.meta.dirname, "../../..")
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "perch-structure-"))

const write = (file: string, text: string): void => {
  fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
  fs.writeFileSync(path.join(folder, file), text)
}

/** The check's output about the repository, one line per finding. */
const findings = (): ReadonlyArray<string> => {
  const { stderr, status } = spawnSync(process.execPath, [path.join(folder, "scripts/check/structure.mjs")], {
    encoding: "utf8",
  })
  const lines = stderr.split("\n").filter((line) => line !== "")
  expect(status).toBe(lines.length === 0 ? 0 : 1)
  return lines
}

beforeEach(() => {
  fs.rmSync(folder, { recursive: true, force: true })
  fs.cpSync(path.join(ROOT, "scripts/check"), path.join(folder, "scripts/check"), { recursive: true })
})
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

/** Folders by stage; those of one stage don't import each other, except for the listed pairs. */
const STAGES = [
  ["schemas"],
  ["net"],
  ["limits", "model", "permissions", "hooks", "workspace", "views", "store", "observe"],
  ["shell", "recording"],
  ["tools", "mcp"],
  ["agent", "interop", "signals"],
  ["webhooks"],
  ["session"],
  ["http"],
]
const EXCEPTIONS = ["store views", "mcp tools"]
const CLIENTS = ["client", "console"]
const OF_CLIENTS = ["client schemas", "console schemas", "console client"]
const ALL = [...STAGES.flat(), ...CLIENTS]

const allowed = (from: string, to: string): boolean => {
  if (from === to || EXCEPTIONS.includes(`${from} ${to}`)) return true
  if (CLIENTS.includes(from) || CLIENTS.includes(to)) return OF_CLIENTS.includes(`${from} ${to}`)
  const [before, after] = [to, from].map((name) => STAGES.findIndex((stage) => stage.includes(name)))
  return (before ?? -1) < (after ?? -1)
}

it("reports exactly the imports that go against the order of the stages", () => {
  const expected: Array<string> = []
  for (const from of ALL) {
    for (const to of [...ALL, "worker.ts"]) {
      const file = `src/${from}/deep/${to.replace(".ts", "")}-user.ts`
      const target = to === "worker.ts" ? "../../worker.ts" : `../../${to}/thing.ts`
      write(file, `import type { Thing } from "${target}"\nexport type Mine = Thing\n`)
      if (to === "worker.ts" || !allowed(from, to)) expected.push(file)
    }
  }
  write("src/worker.ts", 'export { app } from "./http/thing.ts"\n')
  const wide = findings().filter((line) => !line.includes("Give them rooms"))
  expect(wide.map((line) => line.split(" ")[0]).toSorted()).toEqual(expected.toSorted())
})

it("reports an import in any form, and a folder that has no stage", () => {
  write("src/schemas/a.ts", 'const late = await import("../http/app.ts")\n')
  write("src/schemas/b.ts", 'export * from "../session/session.ts"\n')
  write("src/schemas/c.ts", 'import "../tools/tool.ts"\n')
  write("src/schemas/tools/d.ts", 'import { e } from "../hooks/e.ts"\n')
  write("src/newroom/f.ts", 'import { e } from "../schemas/e.ts"\n')
  expect(findings().map((line) => line.split(" ")[0])).toEqual([
    "src/newroom/f.ts",
    "src/schemas/a.ts",
    "src/schemas/b.ts",
    "src/schemas/c.ts",
  ])
})

it("reports a test without its source, unless it is in a folder of its topic", () => {
  write("src/a/b.ts", "")
  write("scripts/local/c.mjs", "")
  write("test/a/b.test.ts", "")
  write("test/scripts/local/c.test.ts", "")
  write("test/behaviour/turns/d.test.ts", "")
  write("test/e2e/streams/e.test.ts", "")
  expect(findings()).toEqual([])
  write("test/a/gone.test.ts", "")
  write("test/behaviour/loose.test.ts", "")
  expect(findings().map((line) => line.split(" ")[0])).toEqual(["test/a/gone.test.ts", "test/behaviour/loose.test.ts"])
})

it("reports a long file and a wide folder", () => {
  write("src/a/long.ts", "// one\n".repeat(1000))
  for (let number = 0; number < 21; number += 1) write(`src/b/f${number}.ts`, "")
  expect(findings().map((line) => line.split(" ")[0])).toEqual(["src/a/long.ts", "src/b/"])
})

it("finds nothing in this repository", () => {
  expect(execFileSync(process.execPath, [path.join(ROOT, "scripts/check/structure.mjs")]).toString()).toBe("")
})
