// Backs up a tenant's sessions into a folder, restores them into a server, and compares the two. Receives: `export | restore |
// compare`, the options that HELP lists, and the key in PERCH_KEY (the root key, or one of the tenant's with the scope
// `admin`).
// Invariants: a session's file gets its final name only when it is complete; every failure is reported, and the exit code is
// then 1.
import "./output-errors.mjs"
import path from "node:path"
import { exportTenant } from "./backup/export.mjs"
import { compareTenant } from "./backup/compare.mjs"
import { restoreTenant } from "./backup/restore.mjs"
import { Server } from "./backup/server.mjs"
import { makeFolder } from "./local/make-folder.mjs"
import { parseOptions } from "./parse-options.mjs"
import { typedFolder } from "./typed-folder.mjs"

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

const OPTIONS = {
  url: { type: "string", default: "http://127.0.0.1:8787" },
  tenant: { type: "string" },
  out: { type: "string" },
  in: { type: "string" },
  session: { type: "string", multiple: true },
  "skip-erased": { type: "string" },
  "skip-existing": { type: "boolean", default: false },
  concurrency: { type: "string", default: "4" },
  help: { type: "boolean", short: "h", default: false },
}

/** Each command with the option that names its folder, and the others that only some commands have. */
const COMMANDS = {
  export: { run: exportTenant, folder: "out", own: [] },
  restore: { run: restoreTenant, folder: "in", own: ["skip-erased", "skip-existing"] },
  compare: { run: compareTenant, folder: "in", own: [] },
}

/** Rejects an option that the command would ignore. */
const checkOptions = (name, { folder, own }, values) => {
  const foreign = ["out", "in", "skip-erased", "skip-existing"].find(
    (option) => values[option] !== undefined && values[option] !== false && option !== folder && !own.includes(option),
  )
  if (foreign !== undefined) throw new Error(`${name} has no option --${foreign}.\n\n${HELP}`)
  if (!values[folder]) throw new Error(`${name} needs --${folder} DIR.\n\n${HELP}`)
  if (!/^([1-9]|[12]\d|3[0-2])$/.test(values.concurrency))
    throw new Error("--concurrency is a whole number from 1 to 32")
  if (!/^https?:\/\//.test(values.url) || !URL.canParse(values.url) || /[?#@]/.test(values.url))
    throw new Error(`--url ${values.url} is not an address such as https://perch.example.com`)
}

const main = async () => {
  const { values, positionals } = parseOptions(
    { allowPositionals: true, options: OPTIONS },
    (sentence) => new Error(`${sentence}\n\n${HELP}`),
  )
  if (values.help) return console.log(HELP)
  const [name] = positionals
  if (!Object.hasOwn(COMMANDS, name ?? "") || positionals.length !== 1)
    throw new Error(`one command is needed: export, restore or compare. Got "${positionals.join(" ")}".\n\n${HELP}`)
  const command = COMMANDS[name]
  checkOptions(name, command, values)
  const base = typedFolder(["backup"])
  const folder = path.resolve(base, values[command.folder])
  const key = process.env.PERCH_KEY
  if (!key) throw new Error("PERCH_KEY is not set: give the root key, or a key of the tenant with the scope admin.")
  // It goes into a header.
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new Error("PERCH_KEY has a character that no key has, such as a space or a line break.")
  const server = new Server(values.url, key, values.tenant)
  if (name === "export") {
    // A server that refuses the key leaves no empty folder.
    await server.listSessions(1)
    makeFolder(path.join(folder, "sessions"))
  }
  const started = Date.now()
  const report = await command.run({
    server,
    folder,
    only: values.session && new Set(values.session),
    skipErased: values["skip-erased"] && path.resolve(base, values["skip-erased"]),
    skipExisting: values["skip-existing"],
    concurrency: Number(values.concurrency),
  })
  for (const { id, message } of report.failed) console.error(`backup: ${id}: ${message}`)
  console.log(
    JSON.stringify({ command: name, ...report, failed: report.failed.length, seconds: (Date.now() - started) / 1000 }),
  )
  if (report.failed.length > 0) process.exitCode = 1
}

main().catch((error) => {
  console.error(`backup: ${error.message}`)
  process.exitCode = 1
})
