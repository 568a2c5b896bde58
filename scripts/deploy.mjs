// Deploys Perch to the user's Cloudflare account: `npm run deploy`. Receives the options that scripts/deploy/arguments.mjs lists
// and the environment; creates what the account lacks, deploys, checks, and prints the address.
// Invariant: it may be run again at any time, after a success as after any failure (scripts/deploy/run.mjs).
import path from "node:path"
import { fileURLToPath } from "node:url"
import { API_BASE, CloudflareApi } from "./deploy/api.mjs"
import { HELP, readArguments } from "./deploy/arguments.mjs"
import { DeployError, stopped } from "./deploy/errors.mjs"
import { askSecret } from "./deploy/prompt.mjs"
import { Report } from "./deploy/report.mjs"
import { deploy } from "./deploy/run.mjs"
import { summary } from "./deploy/summary.mjs"
import { Wrangler } from "./deploy/wrangler.mjs"

const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
/** A new workers.dev name takes minutes until DNS resolves it. */
const PATIENCE = { forMs: 180_000, everyMs: 3_000 }
const MODEL_KEY = "ANTHROPIC_API_KEY for the Worker (Enter for none: a small offline model then answers): "

const report = new Report((line) => console.log(line))

const { env, stdin, stdout } = process
const verbose = process.argv.includes("--verbose")
const wrangler = new Wrangler({ root: ROOT, env, show: verbose ? (text) => stdout.write(text) : undefined })

// Wrangler ends first, and with it its step: its files are removed and what was done is printed.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.once(signal, () => {
    if (wrangler.stop()) return
    report.failed(stopped())
    process.exit(1)
  })
}

const main = async () => {
  const options = readArguments(process.argv.slice(2), env)
  if (options.help) return console.log(HELP)
  const terminal = stdin.isTTY === true && stdout.isTTY === true && !env.CI
  const result = await deploy({
    root: ROOT,
    env,
    options,
    wrangler,
    makeApi: (credentials) => new CloudflareApi(env.CLOUDFLARE_API_BASE_URL || API_BASE, credentials),
    ask: terminal ? () => askSecret({ input: stdin, output: stdout }, MODEL_KEY) : undefined,
    canKeepKey: terminal || options.keyFile !== undefined,
    patience: PATIENCE,
    report,
  })
  for (const line of summary(result, options)) console.log(line)
}

main().catch((error) => {
  report.failed(error instanceof DeployError ? error : new DeployError(`${error.stack ?? error}`))
  process.exitCode = 1
})
