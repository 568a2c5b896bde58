// Receives one line of JSON on stdin: the modules of a Worker, its configuration, the statements that create the D1 tables, and
// the settings of a local server. Runs the Worker in workerd until it is killed, or shuts it down on SIGTERM. Prints `serving`
// when it listens. Invariant: it ends when its stdin closes, so that it does not outlive its parent.
import fs from "node:fs"
import path from "node:path"
import readline from "node:readline"
import { Miniflare, miniflareOptions } from "../../scripts/local/miniflare-options.mjs"

/** The bundle of these modules: the first is the entry. */
const bundleOf = ({ folder, names: [entry, ...others] }) => {
  const read = (name) => fs.readFileSync(path.join(folder, name), "utf8")
  const modules = others.map((name) => ({ name, type: "esm", content: read(name) }))
  return { path: path.join(folder, entry), entrypointSource: read(entry), modules }
}

const serve = async ({ modules, config, migrations, ...settings }) => {
  const miniflare = new Miniflare(miniflareOptions(settings, bundleOf(modules), config))
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
