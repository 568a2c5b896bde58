// Bundles what apps install: dist/client/spawn.js, one file that runs on Node 20, with its types beside it.
// Invariant: the bundle imports only Node's own modules, and its types only Node's own types.
import { spawnSync } from "node:child_process"
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"

const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)))

const LICENCE = fs.readFileSync(path.join(ROOT, "node_modules/ws/LICENSE"), "utf8")

/** Writes `spawn.js` and `spawn.d.ts` into a folder; returns the length of the script in bytes. */
export const buildClient = async (target) => {
  fs.rmSync(target, { recursive: true, force: true })
  const bundle = path.join(target, "spawn.js")
  await build({
    absWorkingDir: ROOT,
    entryPoints: ["src/client/spawn.ts"],
    outfile: bundle,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    // ws looks for these two and does without them.
    external: ["bufferutil", "utf-8-validate"],
    // ws is CommonJS, and asks for Node's modules with `require`.
    banner: {
      js: `/*! Contains ws.\n${LICENCE}*/
import { createRequire } from "node:module"
const require = createRequire(import.meta.url)`,
    },
    logLevel: "warning",
  })
  writeTypes(target)
  return fs.statSync(bundle).size
}

/** The types of the entry alone: it names those of no other file. */
const writeTypes = (target) => {
  const emitted = fs.mkdtempSync(path.join(os.tmpdir(), "perch-types-"))
  try {
    const tsc = path.join(ROOT, "node_modules/typescript/bin/tsc")
    const args = ["-p", "src/client", "--noEmit", "false", "--emitDeclarationOnly", "--outDir", emitted]
    const done = spawnSync(process.execPath, [tsc, ...args], { cwd: ROOT, encoding: "utf8" })
    if (done.status !== 0) throw new Error(`the client's types could not be made:\n${done.stdout}${done.stderr}`)
    fs.copyFileSync(path.join(emitted, "client/spawn.d.ts"), path.join(target, "spawn.d.ts"))
  } finally {
    fs.rmSync(emitted, { recursive: true, force: true })
  }
}
