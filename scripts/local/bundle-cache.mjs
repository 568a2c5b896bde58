// Caches the Worker's bundle and its settings in wrangler.toml for the next start, if none of their inputs has changed: loading
// wrangler and bundling take most of a start.
// Invariant: a bundle is found by the content of all its inputs, so what is served always matches the files. A cache that can't
// be read or written only costs the start its bundle. No variable of `.dev.vars` is cached.
import { createHash } from "node:crypto"
import fs from "node:fs"
import path from "node:path"
import { contentHash } from "./content-hash.mjs"

/** The inputs of a bundle. The lock file represents the packages, and the script the change of one of them. */
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
/** The number of cached bundles: one for each of a few branches. */
const KEPT = 3

/** The name of the bundle for the current files. The settings contain absolute paths. */
const keyOf = (root) => {
  const settings = ASSET_SETTINGS.filter((name) => fs.existsSync(path.join(root, name)))
  return createHash("sha256")
    .update(`${root}\0`)
    .update(contentHash(root, [...SOURCES, ...settings]))
    .digest("hex")
}

/** Removes all but the newest bundles. */
const removeOld = (folder) => {
  const bundles = fs
    .readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .map((name) => path.join(folder, name))
  const byAge = bundles
    .map((file) => ({ file, at: fs.statSync(file).mtimeMs }))
    .toSorted((first, second) => second.at - first.at)
  for (const { file } of byAge.slice(KEPT)) fs.rmSync(file, { force: true })
}

/** The cache of the repository at `root`, in its `.wrangler/` folder, for the current files. */
export const bundleCache = (root) => {
  const folder = path.join(root, ".wrangler/bundles")
  const key = keyOf(root)
  const file = path.join(folder, `${key}.json`)
  return {
    /** The entry of an earlier start, `{ bundle, config }`, or null. */
    read: () => {
      try {
        const { bundle, config } = JSON.parse(fs.readFileSync(file, "utf8"))
        const modules = bundle.modules.map((one) => ({ ...one, content: Buffer.from(one.content, "base64") }))
        return { bundle: { ...bundle, modules }, config }
      } catch {
        // Missing, damaged or unreadable: the bundle is built again, and an error of the folder appears when it is written.
        return null
      }
    },
    /** Stores a bundle and its settings, unless the files have changed since this cache was opened. */
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
        removeOld(folder)
      } catch (error) {
        if (fs.existsSync(written)) fs.rmSync(written)
        console.error(`The bundle could not be kept for the next start: ${error.message}`)
      }
    },
  }
}
