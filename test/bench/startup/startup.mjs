// What a start of the Worker costs, compared with a Worker of one line: the bundle's size, and the processor time of workerd
// from its start to its first answer.
//   npm run bench:startup [-- --rounds 7] [NAME=BUNDLE.js …]     bundles of your own, such as that of another branch, are measured too
import { spawnSync } from "node:child_process"
import fs from "node:fs"
import { createRequire } from "node:module"
import os from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { gzipSync } from "node:zlib"
import { median } from "../figures.mjs"

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../..")
const { Miniflare, convertV4MiniflareOptions } = createRequire(createRequire(import.meta.url).resolve("wrangler"))(
  "miniflare",
)
const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: "string", default: "7" } },
})
const COMPATIBILITY = {
  compatibilityDate: "2026-10-01",
  compatibilityFlags: ["nodejs_compat", "enable_request_signal"],
}

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "perch-startup-"))
process.once("exit", () => fs.rmSync(scratch, { recursive: true, force: true }))

const built = () => {
  const wrangler = path.join(ROOT, "node_modules/wrangler/bin/wrangler.js")
  const env = { ...process.env, CI: "true", WRANGLER_SEND_METRICS: "false", WRANGLER_HIDE_BANNER: "true" }
  const { status, stderr } = spawnSync(process.execPath, [wrangler, "deploy", "--dry-run", "--outdir", scratch], {
    cwd: ROOT,
    env,
    encoding: "utf8",
  })
  if (status !== 0) throw new Error(stderr)
  return path.join(scratch, "worker.js")
}

const empty = () => {
  const file = path.join(scratch, "empty.js")
  fs.writeFileSync(file, 'export default { fetch: () => new Response("ok") }')
  return file
}

/** This process's children, from /proc. */
const children = () =>
  fs
    .readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return fs.readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1).split(" ")[1] === String(process.pid)
      } catch {
        return false // it has ended meanwhile
      }
    })

/** Processor time of a process in milliseconds, over all its threads. */
const cpuMs = (pid) =>
  fs
    .readdirSync(`/proc/${pid}/task`)
    .map((thread) => Number(fs.readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]) / 1e6)
    .reduce((sum, ms) => sum + ms, 0)

const startOnce = async (file) => {
  const before = new Set(children())
  const worker = { name: "start", modulesRoot: "/", modules: [{ type: "ESModule", path: file }] }
  const options = { host: "127.0.0.1", port: 0, ...COMPATIBILITY, workers: [{ ...worker, ...COMPATIBILITY }] }
  const miniflare = new Miniflare(convertV4MiniflareOptions(options))
  try {
    const answer = await fetch(new URL("/healthz", await miniflare.ready))
    if (!answer.ok) throw new Error(`the Worker answered ${answer.status}`)
    return children()
      .filter((pid) => !before.has(pid))
      .map(cpuMs)
      .reduce((sum, ms) => sum + ms, 0)
  } finally {
    await miniflare.dispose()
  }
}

const targets = [["empty", empty()], ["perch", built()], ...positionals.map((text) => text.split("="))]
const times = new Map(targets.map(([name]) => [name, []]))
for (let round = 0; round < Number(flags.rounds); round += 1) {
  for (const [name, file] of targets) times.get(name).push(await startOnce(path.resolve(file)))
}
const base = median(times.get("empty"))
for (const [name, file] of targets) {
  const bytes = fs.readFileSync(file)
  const [least, middle] = [Math.min(...times.get(name)), median(times.get(name))]
  const size = `${Math.round(bytes.length / 1024)} KiB, ${Math.round(gzipSync(bytes).length / 1024)} KiB gzip`
  const over = `${(middle - base).toFixed(0)} over an empty Worker`
  console.log(`${name.padEnd(10)} CPU ${least.toFixed(0)} ms at least, ${middle.toFixed(0)} median, ${over}; ${size}`)
}
process.exit(0)
