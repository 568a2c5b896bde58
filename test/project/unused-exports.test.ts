// `knip.json` detects exports that only tests use. Runs knip, as `npm run check` does, over a small tree with that file.
import { spawnSync } from "node:child_process"
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { afterAll, expect, it } from "vitest"

const ROOT = path.resolve(import.meta.dirname, "../..")
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "perch-unused-"))
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

const FILES: Readonly<Record<string, string>> = {
  "package.json": '{ "name": "small", "type": "module" }',
  "src/worker.ts": 'import { used } from "./a.ts"\nexport default used\n',
  "src/a.ts": "export const used = 1\nexport const unused = 2\nexport interface Unused {}\n",
  "src/b.ts": "export const alone = 3\n",
  "test/a.test.ts": 'import { unused } from "../src/a.ts"\nimport { alone } from "../src/b.ts"\nvoid [unused, alone]\n',
}

const knip = () => {
  const bin = path.join(ROOT, "node_modules/knip/bin/knip.js")
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, "--production"], {
    cwd: folder,
    encoding: "utf8",
  })
  return { status, output: stdout + stderr }
}

it("the check names exports, types and files that only tests use, and fails", () => {
  fs.copyFileSync(path.join(ROOT, "knip.json"), path.join(folder, "knip.json"))
  for (const [name, text] of Object.entries(FILES)) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    fs.writeFileSync(path.join(folder, name), text)
  }
  const found = knip()
  expect(found.status).toBe(1)
  expect(found.output).toMatch(/^unused +src\/a\.ts:2/m)
  expect(found.output).toMatch(/^Unused +interface +src\/a\.ts:3/m)
  expect(found.output).toMatch(/^src\/b\.ts/m)
  expect(found.output).not.toMatch(/^used /m)
  fs.writeFileSync(path.join(folder, "src/a.ts"), "export const used = 1\n")
  fs.rmSync(path.join(folder, "src/b.ts"))
  expect(knip().status).toBe(0)
})
