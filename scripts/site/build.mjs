// Builds the web pages into `public/`: the console of src/console, and the documentation of docs/.
// Invariant: it builds only if a source has changed since the last build, so that a start costs nothing more.
import fs from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { checkFolder } from "../doctor/machine.mjs"
import { lockFile } from "../file-lock.mjs"
import { contentHash } from "../local/content-hash.mjs"

const ROOT = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))))
const PUBLIC = path.join(ROOT, "public")

/** Of the sources that exist. */
const hashOf = (sources) =>
  contentHash(
    ROOT,
    sources.filter((name) => fs.existsSync(path.join(ROOT, name))),
  )

const buildConsole = async () => {
  const { build } = await import("vite")
  fs.rmSync(path.join(PUBLIC, "console"), { recursive: true, force: true })
  await build({ configFile: path.join(ROOT, "src/console/vite.config.ts") })
}

const buildDocumentation = async () => {
  const { buildDocs } = await import("./docs/build-docs.mjs")
  buildDocs({ root: ROOT, out: path.join(PUBLIC, "docs") })
}

const PARTS = [
  {
    name: "console",
    sources: ["src/console", "src/client/api", "package-lock.json"],
    made: path.join(PUBLIC, "index.html"),
    build: buildConsole,
  },
  {
    name: "docs",
    sources: [
      "README.md",
      "CHANGELOG.md",
      "CONTRIBUTING.md",
      "LICENSE",
      "docs",
      "examples",
      "test/views/golden",
      "public/openapi.json",
      "package-lock.json",
    ],
    made: path.join(PUBLIC, "docs/index.html"),
    build: buildDocumentation,
  },
]

const STAMPS = path.join(ROOT, "dist/site")

/** The parts whose sources have changed, each with the hash of the current ones. */
const changedParts = () =>
  PARTS.map((part) => ({
    ...part,
    stamp: path.join(STAMPS, `${part.name}.hash`),
    hash: hashOf([...part.sources, "scripts/site"]),
  })).filter(
    ({ stamp, made, hash }) => !fs.existsSync(stamp) || !fs.existsSync(made) || fs.readFileSync(stamp, "utf8") !== hash,
  )

/** Builds the parts whose sources changed; returns their names. Concurrent processes build one after the other. */
export const buildSite = async () => {
  const { level, message, fix } = checkFolder(ROOT)
  if (level === "fail") throw new Error(`${ROOT}: ${message}: ${fix}`)
  if (changedParts().length === 0) return []
  fs.mkdirSync(STAMPS, { recursive: true })
  const release = await lockFile(path.join(STAMPS, "build.lock"))
  try {
    const changed = changedParts()
    for (const { build, stamp, hash } of changed) {
      await build()
      fs.writeFileSync(stamp, hash)
    }
    return changed.map(({ name }) => name)
  } finally {
    release()
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const built = await buildSite()
  console.log(built.length === 0 ? "public: up to date" : `public: built ${built.join(" and ")}`)
}
