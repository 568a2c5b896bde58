// Receives one line of JSON on stdin: the path of a bundle, its configuration, the statements that create the D1 tables, and
// the settings of a local server. Runs the bundle in workerd until it is killed, or shuts it down on SIGTERM. Prints `serving`
// when it listens. Invariant: it ends when its stdin closes, so that it does not outlive its parent.
import fs from "node:fs"
import readline from "node:readline"
import { Miniflare, miniflareOptions } from "../../scripts/local/runtime/miniflare-options.mjs"

const serve = async ({ bundle, config, migrations, ...settings }) => {
  const made = { path: bundle, entrypointSource: fs.readFileSync(bundle, "utf8"), modules: [] }
  const miniflare = new Miniflare(miniflareOptions(settings, made, config))
  process.once("SIGTERM", () => void miniflare.dispose().then(() => process.exit(0)))
  await miniflare.ready
  if (migrations.length > 0) {
    const database = await miniflare.getD1Database("DB")
    const found = await database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'sessions'").first()
    if (found === null) await database.batch(migrations.map((statement) => database.prepare(statement)))
  }
  console.log("serving")
}

const fail = (error) => {
  console.error(error)
  process.exit(1)
}

const input = readline.createInterface({ input: process.stdin })
input.once("line", (line) => serve(JSON.parse(line)).catch(fail))
// Miniflare ends workerd as this process exits.
input.once("close", () => process.exit(1))
