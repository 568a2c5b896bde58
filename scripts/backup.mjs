// Backs up a tenant's sessions into a folder, restores them into a server, and compares the two. Receives: `export | restore |
// compare`, the options that HELP lists, and the key in PERCH_KEY (the root key, or one of the tenant's with the scope
// `admin`).
// Invariants: a session's file gets its final name only when it is complete; every failure is reported, and the exit code is
// then 1.
import path from "node:path"
import { parseArgs } from "node:util"
import { exportTenant } from "./backup/export.mjs"
import { compareTenant } from "./backup/compare.mjs"
import { restoreTenant } from "./backup/restore.mjs"
import { Server } from "./backup/server.mjs"
import { makeFolder } from "./local/make-folder.mjs"

const HELP = `PERCH_KEY=KEY npm run backup -- COMMAND [options]
  export   --out DIR    writes every session of the tenant; into a folder that has a backup, only those that changed
  restore  --in DIR     makes the sessions in a server that does not have them
  compare  --in DIR     compares the sessions of a server with the backup, row by row

  --url URL             address of the server (http://127.0.0.1:8787)
  --tenant NAME         whose sessions; the key's own tenant when it is not given
  --session ID          this session only; repeatable. One that is not there is an error
  --skip-erased DIR     restore: leave out what is marked as erased in this backup too, such as a newer one
  --skip-existing       restore: sessions that the server has are no error
  --concurrency N       sessions at once (4)
  --help                prints this`

const main = async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      url: { type: "string", default: "http://127.0.0.1:8787" },
      tenant: { type: "string" },
      out: { type: "string" },
      in: { type: "string" },
      session: { type: "string", multiple: true },
      "skip-erased": { type: "string" },
      "skip-existing": { type: "boolean", default: false },
      concurrency: { type: "string", default: "4" },
      help: { type: "boolean", short: "h", default: false },
    },
  })
  if (values.help) return console.log(HELP)
  const [command] = positionals
  const folder = command === "export" ? values.out : values.in
  const commands = { export: exportTenant, restore: restoreTenant, compare: compareTenant }
  if (!Object.hasOwn(commands, command ?? "") || positionals.length !== 1 || folder === undefined) throw new Error(HELP)
  const key = process.env.PERCH_KEY
  if (!key) throw new Error("PERCH_KEY is not set: give the root key, or a key of the tenant with the scope admin.")
  if (!/^https?:\/\//.test(values.url) || !URL.canParse(values.url))
    throw new Error(`--url ${values.url} is not an address such as https://perch.example.com`)
  const concurrency = Number(values.concurrency)
  if (!(concurrency >= 1 && concurrency <= 32)) throw new Error("--concurrency is a number from 1 to 32")
  if (command === "export") makeFolder(path.join(folder, "sessions"), 0o700)
  const started = Date.now()
  const report = await commands[command]({
    server: new Server(values.url, key, values.tenant),
    folder: path.resolve(folder),
    only: values.session && new Set(values.session),
    skipErased: values["skip-erased"],
    skipExisting: values["skip-existing"],
    concurrency,
  })
  for (const { id, message } of report.failed) console.error(`backup: ${id}: ${message}`)
  console.log(
    JSON.stringify({ command, ...report, failed: report.failed.length, seconds: (Date.now() - started) / 1000 }),
  )
  if (report.failed.length > 0) process.exitCode = 1
}

main().catch((error) => {
  console.error(`backup: ${error.message}`)
  process.exitCode = 1
})
