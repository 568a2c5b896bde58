// Keeps the bundle that the last start made of the Worker, and the Worker's settings in wrangler.toml; gives both to the next
// start when nothing that they are made of has changed. Loading wrangler and bundling take most of a start.
// Invariant: a bundle is found by the content of all that goes into it, so what is served is always what the files say. A
// cache that can't be read or written costs a start its bundle, nothing else. No variable of `.dev.vars` is kept.
import { createHash } from "node:crypto"
import fs from "node:fs"
import path from "node:path"
import { contentHash } from "./content-hash.mjs"

/** What goes into a bundle. The lock file represents the packages, and the script what is changed of one. */
const SOURCES = [
  "src",
  "package.json",
  "package-lock.json",
  "scripts/adapt-shell.mjs",
  "tsconfig.json",
  "wrangler.toml",
]
/** Files for Cloudflare in the folder of static files, which become settings. */
const ASSET_SETTINGS = ["public/_headers", "public/_redirects", "public/.assetsignore"]
/** Bundles that are kept: one for each of a few branches. */
const KEPT = 3

/** The name of the bundle that the files make as they are now. The settings have absolute paths. */
const keyOf = (root) => {
  const settings = ASSET_SETTINGS.filter((name) => fs.existsSync(path.join(root, name)))
  return createHash("sha256")
    .update(`${root}\0`)
    .update(contentHash(root, [...SOURCES, ...settings]))
    .digest("hex")
}

const forget = (folder) => {
  const bundles = fs
    .readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .map((name) => path.join(folder, name))
  const byAge = bundles
    .map((file) => ({ file, at: fs.statSync(file).mtimeMs }))
    .toSorted((first, second) => second.at - first.at)
  for (const { file } of byAge.slice(KEPT)) fs.rmSync(file, { force: true })
}

/** The cache of the repository at `root`, in its `.wrangler/` folder, as the files are now. */
export const bundleCache = (root) => {
  const folder = path.join(root, ".wrangler/bundles")
  const key = keyOf(root)
  const file = path.join(folder, `${key}.json`)
  return {
    /** What an earlier start used, `{ bundle, config }`, or null. */
    read: () => {
      try {
        const { bundle, config } = JSON.parse(fs.readFileSync(file, "utf8"))
        const modules = bundle.modules.map((one) => ({ ...one, content: Buffer.from(one.content, "base64") }))
        return { bundle: { ...bundle, modules }, config }
      } catch {
        // Missing, damaged or not readable: the bundle is made again, and what is wrong with the folder shows when it is written.
        return null
      }
    },
    /** Keeps a bundle and its settings, unless the files have changed since this cache was opened. */
    write: ({ bundle: { path: entry, entrypointSource, modules }, config }) => {
      if (keyOf(root) !== key) return
      const stored = modules.map(({ content, ...one }) => ({
        ...one,
        content: Buffer.from(content).toString("base64"),
      }))
      const written = `${file}.${process.pid}`
      try {
        fs.mkdirSync(folder, { recursive: true })
        fs.writeFileSync(
          written,
          JSON.stringify({ bundle: { path: entry, entrypointSource, modules: stored }, config }),
        )
        fs.renameSync(written, file)
        forget(folder)
      } catch (error) {
        if (fs.existsSync(written)) fs.rmSync(written)
        console.error(`The bundle could not be kept for the next start: ${error.message}`)
      }
    },
  }
}
