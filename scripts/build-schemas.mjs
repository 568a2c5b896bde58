// Bundles `perch/schemas/sdk` into dist/schemas, `perch/interop` into dist/interop and `perch/signals` into dist/signals, with
// their declarations.
// Invariant: they import effect and zod, which an app shares with them, modules of Node, and nothing else.
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

/** Writes `sdk.js` and, unless `types` is false, its declarations into a folder; returns the length of `sdk.js` in bytes. */
export const buildSchemas = (target, { types = true } = {}) => buildModule(SDK, target, types)

/** The same of `interop.js`. */
export const buildInterop = (target) => buildModule(INTEROP, target, true)

/** The same of `signals.js`. */
export const buildSignals = (target, { types = true } = {}) => buildModule(SIGNALS, target, types)

const buildModule = async ({ name, project, source }, target, types) => {
  fs.rmSync(target, { recursive: true, force: true })
  const file = path.join(target, `${name}.js`)
  // The MCP SDK's types alone: an app that gives tools to an MCP server has it.
  const packages = [...PACKAGES, "@modelcontextprotocol/sdk"]
  await Promise.all([
    ...(types ? [writeDeclarations({ project, target, entries: { [name]: source }, packages })] : []),
    build({
      absWorkingDir: ROOT,
      entryPoints: [`src/${source}.ts`],
      outfile: file,
      bundle: true,
      // The SDKs of models then import nothing of Node.
      platform: "browser",
      format: "esm",
      target: "es2022",
      external: [...PACKAGES, "node:*"],
      logLevel: "warning",
    }),
  ])
  return fs.statSync(file).size
}
