// Keeps the bundle that the last start made of the Worker; gives it to the next start when nothing that it is made of has
// changed. Bundling takes two seconds, most of a start.
// Invariant: a bundle is found by the content of all that goes into it, so what is served is always what the files say. A
// cache that can't be read or written costs a start its bundle, nothing else.
import { createHash } from "node:crypto"
import fs from "node:fs"
import path from "node:path"

/** What goes into a bundle. The lock file stands for the packages. */
const SOURCES = ["src", "package.json", "package-lock.json", "tsconfig.json", "wrangler.toml"]
/** Bundles that are kept: one for each of a few branches. */
const KEPT = 3

const filesOf = (root, name) => {
  const top = path.join(root, name)
  if (!fs.statSync(top).isDirectory()) return [top]
  return fs
    .readdirSync(top, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .toSorted()
}

/** The name of the bundle that the files make as they are now. */
const keyOf = (root) => {
  const hash = createHash("sha256")
  for (const file of SOURCES.flatMap((name) => filesOf(root, name))) {
    const content = fs.readFileSync(file)
    hash.update(`${path.relative(root, file)}\0${content.length}\0`).update(content)
  }
  return hash.digest("hex")
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
    /** The bundle of an earlier start, or null. */
    read: () => {
      try {
        const { modules, ...bundle } = JSON.parse(fs.readFileSync(file, "utf8"))
        return { ...bundle, modules: modules.map((one) => ({ ...one, content: Buffer.from(one.content, "base64") })) }
      } catch {
        // Missing, damaged or not readable: the bundle is made again, and what is wrong with the folder shows when it is written.
        return null
      }
    },
    /** Keeps a bundle, unless the files have changed since this cache was opened. */
    write: ({ path: entry, entrypointSource, modules }) => {
      if (keyOf(root) !== key) return
      const stored = modules.map(({ content, ...one }) => ({
        ...one,
        content: Buffer.from(content).toString("base64"),
      }))
      const written = `${file}.${process.pid}`
      try {
        fs.mkdirSync(folder, { recursive: true })
        fs.writeFileSync(written, JSON.stringify({ path: entry, entrypointSource, modules: stored }))
        fs.renameSync(written, file)
        forget(folder)
      } catch (error) {
        if (fs.existsSync(written)) fs.rmSync(written)
        console.error(`The bundle could not be kept for the next start: ${error.message}`)
      }
    },
  }
}
