// Bundles `perch/schemas/sdk` into dist/schemas, with its declarations.
// Invariant: it imports effect and zod, which an app shares with it, and nothing else.
import fs from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import { writeDeclarations } from "./declarations.mjs"

const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const SOURCE = "schemas/sdk/entry"
const PACKAGES = ["effect", "zod"]

/** Writes `sdk.js` and its declarations into a folder; returns the length of `sdk.js` in bytes. */
export const buildSchemas = async (target) => {
  fs.rmSync(target, { recursive: true, force: true })
  const file = path.join(target, "sdk.js")
  await Promise.all([
    writeDeclarations({
      project: "src/schemas/sdk",
      target,
      entries: { sdk: SOURCE },
      // The MCP SDK's types alone: an app that gives tools to an MCP server has it.
      packages: [...PACKAGES, "@modelcontextprotocol/sdk"],
    }),
    build({
      absWorkingDir: ROOT,
      entryPoints: [`src/${SOURCE}.ts`],
      outfile: file,
      bundle: true,
      platform: "neutral",
      format: "esm",
      target: "es2022",
      external: PACKAGES,
      logLevel: "warning",
    }),
  ])
  return fs.statSync(file).size
}
