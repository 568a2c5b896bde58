// Builds the content of the package (scripts/build-package.mjs) and the web pages (scripts/site/build.mjs), and bundles the Worker
// into dist/worker, as `wrangler deploy` does; prints the sizes of the bundles.
// Invariant: it fails if the Worker exceeds its budget, so that its startup time does not grow unnoticed.
import { spawnSync } from "node:child_process"
import fs from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { buildPackage } from "./build-package.mjs"
import { adaptShell } from "./adapt-shell.mjs"
import { buildSite } from "./site/build.mjs"

const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
/** The most KiB of the Worker, gzipped. Cloudflare accepts ten times as much, and gives a Worker one second to start. */
const BUDGET_KIB = 1052
const target = path.join(ROOT, "dist/worker")
const kib = (length) => Math.round(length / 1024)

adaptShell()
console.log(await buildPackage())
await buildSite()

fs.rmSync(target, { recursive: true, force: true })
const env = { ...process.env, CI: "true", WRANGLER_SEND_METRICS: "false", WRANGLER_HIDE_BANNER: "true" }
const wrangler = path.join(ROOT, "node_modules/wrangler/bin/wrangler.js")
const built = spawnSync(process.execPath, [wrangler, "deploy", "--dry-run", "--outdir", target], {
  cwd: ROOT,
  env,
  encoding: "utf8",
})
if (built.status !== 0) {
  console.error(built.stdout, built.stderr)
  process.exit(1)
}
const scripts = fs.readdirSync(target, { recursive: true }).filter((name) => name.endsWith(".js"))
const bytes = Buffer.concat(scripts.map((name) => fs.readFileSync(path.join(target, name))))
const gzip = kib(gzipSync(bytes).length)
console.log(`dist/worker: ${kib(bytes.length)} KiB, ${gzip} KiB gzip (budget ${BUDGET_KIB})`)
if (gzip > BUDGET_KIB) process.exit(1)
