// The Miniflare that the installed wrangler was built with, and the version of its workerd.
// Miniflare sends workerd its configuration as one message, which it copies each time the message grows, by 4 KiB: with the
// Worker's megabytes in it, these copies took a fourth of a start's CPU time. It is loaded with larger steps.
// Invariant: nothing else is changed.
import fs from "node:fs"
import module, { createRequire } from "node:module"
import path from "node:path"

const STEP = "MIN_SINGLE_SEGMENT_GROWTH = 4096;"
const LARGER_STEP = "MIN_SINGLE_SEGMENT_GROWTH = 1048576;"

/** Miniflare's source with larger steps; unchanged if it does not have exactly the expected statement. */
export const withLargerSteps = (source) => {
  const at = source.indexOf(STEP)
  return at === -1 ? source : source.slice(0, at) + LARGER_STEP + source.slice(at + STEP.length)
}

const wranglerRequire = createRequire(createRequire(import.meta.url).resolve("wrangler"))

/** Its main file. */
export const MINIFLARE = wranglerRequire.resolve("miniflare")

const load = () => {
  const loaded = new module.Module(MINIFLARE)
  loaded.filename = MINIFLARE
  loaded.paths = module.Module._nodeModulePaths(path.dirname(MINIFLARE))
  loaded._compile(withLargerSteps(fs.readFileSync(MINIFLARE, "utf8")), MINIFLARE)
  return loaded.exports
}

export const { Log, LogLevel, Miniflare, Response, convertV4MiniflareOptions } = load()
export const { version: workerd } = createRequire(MINIFLARE)("workerd/package.json")
