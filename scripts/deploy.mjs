// Deploys Perch to the user's Cloudflare account: `npm run deploy`. Receives the options that scripts/deploy/arguments.mjs lists
// and the environment; creates what the account lacks, deploys, checks, and prints the address.
// Invariant: it may be run again at any time, after a success as after any failure (scripts/deploy/run.mjs).
import { spawnSync } from "node:child_process"
import fs from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { API_BASE, CloudflareApi } from "./deploy/api.mjs"
import { HELP, readArguments } from "./deploy/arguments.mjs"
import { DeployError } from "./deploy/errors.mjs"
import { askSecret } from "./deploy/prompt.mjs"
import { Report } from "./deploy/report.mjs"
import { deploy } from "./deploy/run.mjs"
import { summary } from "./deploy/summary.mjs"
import { Wrangler } from "./deploy/wrangler.mjs"

const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const SITE = path.join(ROOT, "scripts/site/build.mjs")
/** A first workers.dev name takes minutes until it is in the DNS. */
const PATIENCE = { forMs: 180_000, everyMs: 3_000 }
const MODEL_KEY = "ANTHROPIC_API_KEY for the Worker (Enter for none: a small offline model then answers): "

const report = new Report((line) => console.log(line))

/** Builds the console and the docs site, unless wrangler does so itself by the configuration's [build]. */
const buildSite = () => {
  if (!fs.existsSync(SITE) || /^\[build\]/m.test(fs.readFileSync(path.join(ROOT, "wrangler.toml"), "utf8"))) return
  report.begin("Building the console and the docs")
  const { status } = spawnSync(process.execPath, [SITE], { cwd: ROOT, stdio: ["ignore", "ignore", "inherit"] })
  if (status !== 0) throw new DeployError("The console and the docs could not be built.", "See above; `npm ci` first?")
}

const main = async () => {
  const { env, stdin, stdout } = process
  const options = readArguments(process.argv.slice(2), env)
  if (options.help) return console.log(HELP)
  const terminal = stdin.isTTY === true && stdout.isTTY === true && !env.CI
  const result = await deploy({
    root: ROOT,
    env,
    options,
    wrangler: new Wrangler({ root: ROOT, env, show: options.verbose ? (text) => stdout.write(text) : undefined }),
    makeApi: (credentials) => new CloudflareApi(env.CLOUDFLARE_API_BASE_URL || API_BASE, credentials),
    ask: terminal ? () => askSecret({ input: stdin, output: stdout }, MODEL_KEY) : undefined,
    canKeepKey: terminal || options.keyFile !== undefined,
    site: buildSite,
    patience: PATIENCE,
    report,
  })
  for (const line of summary(result, options)) console.log(line)
}

// Wrangler gets the signal too. What was done so far is printed, as after an error.
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, () => {
    report.failed(new DeployError("Stopped.", "Nothing is undone; run this again to go on."))
    process.exit(130)
  })
}

main().catch((error) => {
  report.failed(error instanceof DeployError ? error : new DeployError(`${error.stack ?? error}`))
  process.exitCode = 1
})
