// docs/production.md, pasted block after block from a folder with the project's scripts, on a tenant with two sessions.
import { execFile } from "node:child_process"
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, inject, it } from "vitest"
import { PerchClient } from "../../support/server/client.ts"
import { blocksOfPage, missingPiece, runPage } from "../../support/server/doc-page.ts"

const ROOT = path.resolve(import.meta.dirname, "../../..")
const shared = inject("shared")
let folder = ""

beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "perch-production-"))
  for (const name of ["node_modules", "scripts", "wrangler.toml", "package.json"]) {
    fs.symlinkSync(path.join(ROOT, name), path.join(folder, name))
  }
  const root = new PerchClient(shared)
  const { key } = await root.json<{ key: string }>("POST", "/v1/admin/keys", { json: { tenant: "north" }, status: 201 })
  const acme = root.withKey(key)
  for (const name of ["a", "b"]) await acme.createSession({}, { [`/workspace/${name}.txt`]: name })
})

afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

it("works block after block", async () => {
  const env = { PERCH_KEY: shared.key }
  const { code, blocks } = await runPage("docs/production.md", { url: shared.url, folder, env })
  for (const { text, output, shown } of blocks) {
    if (shown !== undefined) expect(missingPiece(shown, output), `${text}\nprinted\n${output}`).toBeUndefined()
  }
  expect(code, blocks.map(({ output }) => output).join("\n")).toBe(0)
  expect(blocks.length).toBe(6)
  const receipts = fs.readFileSync(path.join(folder, "receipts.jsonl"), "utf8").trim().split("\n")
  expect(receipts.map((line) => (JSON.parse(line) as { deleted: boolean }).deleted)).toEqual([true, true])
  expect(blocks.at(-1)?.output.trim()).toBe("0")
})

it("finds the sessions of a tenant on every page of the list", async () => {
  const text = blocksOfPage("docs/production.md").find((block) => block.text.includes("living()"))!.text
  const living = /^living\(\) \{\n[^]*?^\}$/m.exec(text)![0]
  const script = `${living.replace("http://127.0.0.1:8787", shared.url).replace("limit=1000", "limit=1")}\nliving north`
  const { stdout } = await promisify(execFile)("bash", ["-c", script], {
    env: { ...process.env, PERCH_KEY: shared.key },
  })
  expect(stdout.trim().split("\n").length).toBe(2)
})
