// Receives one line of JSON on stdin: the path of a bundle, its configuration, the statements that make the D1 tables, and the settings of a local server. Runs the bundle in workerd
// until it is killed, or ends it well on SIGTERM. Prints `serving` when it listens.
import fs from "node:fs"
import { text } from "node:stream/consumers"
import { Miniflare, miniflareOptions } from "../../scripts/local/miniflare-options.mjs"

const { bundle, config, migrations, ...settings } = JSON.parse(await text(process.stdin))
const miniflare = new Miniflare(
  miniflareOptions(settings, { path: bundle, entrypointSource: fs.readFileSync(bundle, "utf8"), modules: [] }, config),
)
process.once("SIGTERM", () => void miniflare.dispose().then(() => process.exit(0)))
await miniflare.ready
const database = await miniflare.getD1Database("DB")
const made = await database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'sessions'").first()
if (made === null) await database.batch(migrations.map((statement) => database.prepare(statement)))
console.log("serving")
