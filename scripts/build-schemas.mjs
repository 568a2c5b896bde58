// Bundles `perch/schemas/sdk` into dist/schemas, `perch/interop` into dist/interop and `perch/signals` into dist/signals, with
// their declarations.
// Invariant: they import only effect and zod, which an app shares with them, and modules of Node.
import fs from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import { writeDeclarations } from "./declarations.mjs"

const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const PACKAGES = ["effect", "zod"]

const SDK = { name: "sdk", project: "src/schemas/sdk", source: "schemas/sdk/entry" }
const INTEROP = { name: "interop", project: "src/interop", source: "interop/entry" }
const SIGNALS = { name: "signals", project: "src/signals", source: "signals/entry" }

/** Writes `sdk.js` and, unless `types` is false, its declarations into a folder; returns the size of `sdk.js` in bytes. */
export const buildSchemas = (target, { types = true } = {}) => buildModule(SDK, target, types)

/** The same for `interop.js`. */
export const buildInterop = (target) => buildModule(INTEROP, target, true)

/** The same for `signals.js`. */
export const buildSignals = (target, { types = true } = {}) => buildModule(SIGNALS, target, types)

const buildModule = async ({ name, project, source }, target, types) => {
  fs.rmSync(target, { recursive: true, force: true })
  const file = path.join(target, `${name}.js`)
  // Only the MCP SDK's types are imported: an app that provides tools to an MCP server has it.
  const packages = [...PACKAGES, "@modelcontextprotocol/sdk"]
  await Promise.all([
    ...(types ? [writeDeclarations({ project, target, entries: { [name]: source }, packages })] : []),
    build({
      absWorkingDir: ROOT,
      entryPoints: [`src/${source}.ts`],
      outfile: file,
      bundle: true,
      // With this, the model providers' SDKs import nothing of Node.
      platform: "browser",
      format: "esm",
      target: "es2022",
      external: [...PACKAGES, "node:*"],
      logLevel: "warning",
    }),
  ])
  return fs.statSync(file).size
}
