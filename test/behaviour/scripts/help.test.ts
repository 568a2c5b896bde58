// `--help` of the commands that README.md and the guides show.
import { spawnSync } from "node:child_process"
import path from "node:path"
import { expect, it } from "vitest"

const ROOT = path.resolve(import.meta.dirname, "../../..")
const USAGE = {
  start: "npm start -- [options]",
  doctor: "npm run doctor -- [options]",
  signin: "npm run signin -- [options]",
  backup: "PERCH_KEY=KEY npm run backup -- COMMAND [options]",
  replay: "npm run replay FILE…",
  deploy: "npm run deploy -- [options]",
  "wrangler-config": "node scripts/wrangler-config.mjs [options] > wrangler.NAME.toml",
}

it.each(Object.entries(USAGE))("%s prints its options with --help, and does nothing else", (name, usage) => {
  for (const flag of ["--help", "-h"]) {
    const argv = [path.join(ROOT, `scripts/${name}.mjs`), flag]
    const { status, stdout, stderr } = spawnSync(process.execPath, argv, {
      cwd: ROOT,
      encoding: "utf8",
      timeout: 60_000,
    })
    expect([status, stderr]).toEqual([0, ""])
    expect(stdout.startsWith(usage), stdout).toBe(true)
  }
})

it.each(Object.keys(USAGE))("%s names an option that it does not have", (name) => {
  const argv = [path.join(ROOT, `scripts/${name}.mjs`), "--frobnicate"]
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, { cwd: ROOT, encoding: "utf8", timeout: 60_000 })
  expect([status, (stdout + stderr).split("\n").find((line) => line !== "")]).toEqual([
    1,
    expect.stringContaining("--frobnicate"),
  ])
})
