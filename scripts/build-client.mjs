// Bundles what apps install into dist/client: `spawn.js` for Node, `api.js` and `browser.js` for everything, `cli.js` and
// `perch-claude.js` the programs, with their types and a package.json of their own, so that the folder can be installed as it is.
// Invariant: each bundle is one file that imports only Node's own modules, the portable ones none at all; the types name
// nothing but Node's own.
import fs from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import { writeDeclarations } from "./declarations.mjs"

const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)))

/** By name: the source file, and the libraries that the bundle includes. */
const ENTRIES = {
  spawn: { source: "client/spawn", contains: ["ws", "ignore", "modern-tar"], types: true },
  api: { source: "client/api/entry", contains: [], types: true, portable: true },
  browser: { source: "client/browser/browser-options", contains: [], types: true, portable: true },
  cli: { source: "client/cli/main", contains: ["ignore", "modern-tar"] },
  "perch-claude": { source: "client/perch-claude", contains: ["ws", "ignore", "modern-tar"] },
}

const REQUIRE = `import { createRequire } from "node:module"
const require = createRequire(import.meta.url)`

const licenceOf = (name) => {
  const folder = path.join(ROOT, "node_modules", name)
  const file = fs.readdirSync(folder).find((one) => /^licen[cs]e/i.test(one))
  return `Contains ${name}.\n${fs.readFileSync(path.join(folder, file), "utf8").trim()}\n`
}

const bannerOf = ({ contains, portable }) => [
  ...(contains.length === 0 ? [] : [`/*! ${contains.map(licenceOf).join("\n")}*/`]),
  // ws and ignore are CommonJS; ws loads Node's modules with `require`.
  ...(portable ? [] : [REQUIRE]),
]

/**
 * Writes the bundles, their types and a package.json into a folder; returns the length of `spawn.js` in bytes. Without
 * `types` it is done in a fraction of the time.
 */
export const buildClient = async (target, { types = true } = {}) => {
  fs.rmSync(target, { recursive: true, force: true })
  await Promise.all([
    ...(types ? [writeTypes(target)] : []),
    ...Object.entries(ENTRIES).map(([name, entry]) =>
      build({
        absWorkingDir: ROOT,
        entryPoints: [`src/${entry.source}.ts`],
        outfile: path.join(target, `${name}.js`),
        bundle: true,
        platform: entry.portable ? "neutral" : "node",
        format: "esm",
        target: entry.portable ? "es2022" : "node20",
        // ws imports these two optionally.
        external: ["bufferutil", "utf-8-validate"],
        banner: { js: bannerOf(entry).join("\n") },
        logLevel: "warning",
      }),
    ),
  ])
  for (const program of ["cli.js", "perch-claude.js"]) fs.chmodSync(path.join(target, program), 0o755)
  writePackage(target)
  return fs.statSync(path.join(target, "spawn.js")).size
}

const writeTypes = (target) => {
  const typed = Object.entries(ENTRIES).filter(([, entry]) => entry.types)
  const entries = Object.fromEntries(typed.map(([name, { source }]) => [name, source]))
  return writeDeclarations({ project: "src/client", target, entries, packages: [] })
}

const writePackage = (target) => {
  const { name, version, description, license, type, engines } = JSON.parse(
    fs.readFileSync(path.join(ROOT, "package.json"), "utf8"),
  )
  const entry = (file) => ({ types: `./${file}.d.ts`, default: `./${file}.js` })
  const own = {
    name,
    version,
    description,
    license,
    type,
    engines,
    exports: { "./client": entry("spawn"), "./client/api": entry("api"), "./client/browser": entry("browser") },
    bin: { perch: "./cli.js", "perch-claude": "./perch-claude.js" },
  }
  fs.writeFileSync(path.join(target, "package.json"), `${JSON.stringify(own, null, 2)}\n`)
  fs.copyFileSync(path.join(ROOT, "LICENSE"), path.join(target, "LICENSE"))
}
