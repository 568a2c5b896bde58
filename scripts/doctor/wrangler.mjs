// Receives the project's folder; checks whether wrangler.toml provides what the Worker needs.
// Invariant: bindings and classes are those of src/worker.ts and of the file itself; a test compares the list with `Env`.
import fs from "node:fs"
import path from "node:path"
import { fail, ok, warn } from "./finding.mjs"
import { readToml } from "./toml.mjs"

const FILE = "wrangler.toml"
/** Each Durable Object's binding and its class. */
const OBJECTS = {
  SESSIONS: "SessionObject",
  TENANTS: "TenantObject",
  WEBHOOKS: "WebhookObject",
  WORKFLOWS: "WorkflowObject",
  RECORDINGS: "RecordingObject",
  LANES: "LaneObject",
}
const FLAGS = ["nodejs_compat", "enable_request_signal"]
const NO_DATABASE = /^0{8}-0{4}-0{4}-0{4}-0{12}$|^$/
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const RESTORE = `git checkout ${FILE}`

const missing = (what, name) => fail(FILE, `the ${what} ${name} is missing`, RESTORE)

const checkObjects = ({ lists }, worker) => {
  const findings = []
  const bound = lists["durable_objects.bindings"] ?? []
  for (const [name, type] of Object.entries(OBJECTS)) {
    const found = bound.find((binding) => binding.name === name)
    if (found === undefined) findings.push(missing("binding", name))
    else if (found.class_name !== type)
      findings.push(fail(FILE, `${name} is bound to ${found.class_name}, not to ${type}`, RESTORE))
  }
  for (const { class_name: type } of bound)
    if (!new RegExp(`export \\{[^}]*\\b${type}\\b`).test(worker))
      findings.push(fail(FILE, `src/worker.ts exports no class ${type}`, "export it, or remove the binding"))
  return findings
}

const checkMigrations = ({ lists }) => {
  const findings = []
  const steps = lists.migrations ?? []
  const tags = steps.map(({ tag }) => tag)
  if (new Set(tags).size !== tags.length)
    findings.push(fail(FILE, "two [[migrations]] have the same tag", "give the new one its own tag"))
  const made = new Set()
  for (const { tag, ...step } of steps) {
    if (step.new_classes !== undefined)
      findings.push(fail(FILE, `migration ${tag} has new_classes, without SQLite`, "write new_sqlite_classes"))
    for (const name of [...(step.new_sqlite_classes ?? []), ...(step.renamed_classes ?? []).map(({ to }) => to)]) {
      if (made.has(name))
        findings.push(fail(FILE, `migration ${tag} makes ${name} again`, "remove it from the migration"))
      made.add(name)
    }
    for (const name of step.deleted_classes ?? []) made.delete(name)
  }
  const bound = (lists["durable_objects.bindings"] ?? []).map(({ class_name: name }) => name)
  for (const name of bound.filter((one) => !made.has(one))) {
    const step = `add [[migrations]] with a new tag and new_sqlite_classes = ["${name}"]`
    findings.push(fail(FILE, `no migration creates the class ${name}`, step))
  }
  for (const name of [...made].filter((one) => !bound.includes(one)))
    findings.push(fail(FILE, `a migration makes ${name}, and nothing binds it`, RESTORE))
  return findings
}

const checkDatabase = (root, { lists }) => {
  const database = (lists.d1_databases ?? []).find(({ binding }) => binding === "DB")
  if (database === undefined) return [missing("binding", "DB")]
  const findings = []
  const folder = path.join(root, database.migrations_dir ?? "migrations")
  if (!fs.existsSync(folder) || !fs.readdirSync(folder).some((name) => name.endsWith(".sql")))
    findings.push(fail(FILE, "migrations_dir of DB has no .sql files", "git checkout migrations"))
  const id = database.database_id ?? ""
  // The placeholder is correct: `npm run deploy` writes the id into a separate file.
  if (!NO_DATABASE.test(id) && !UUID.test(id))
    findings.push(fail(FILE, "database_id is not an id", "put there what `npx wrangler d1 create perch` printed"))
  return findings
}

const checkQueues = ({ lists }) => {
  const producer = (lists["queues.producers"] ?? []).find(({ binding }) => binding === "HOOKS")
  if (producer === undefined) return [missing("binding", "HOOKS")]
  const consumers = lists["queues.consumers"] ?? []
  const consumer = consumers.find(({ queue }) => queue === producer.queue)
  if (consumer === undefined) return [missing("consumer of the queue", producer.queue)]
  const dead = consumer.dead_letter_queue
  if (dead === undefined || !dead.endsWith("-dead"))
    return [fail(FILE, `the queue ${producer.queue} has no dead_letter_queue that ends in -dead`, RESTORE)]
  return consumers.some(({ queue }) => queue === dead) ? [] : [missing("consumer of the queue", dead)]
}

const checkTop = (root, { top, tables }, compatibilityDate) => {
  const findings = []
  if (typeof top.name !== "string") findings.push(fail(FILE, "the Worker has no name", RESTORE))
  if (typeof top.main !== "string" || !fs.existsSync(path.join(root, top.main)))
    findings.push(fail(FILE, "`main` names no file", RESTORE))
  if (top.compatibility_date !== compatibilityDate) {
    const message = `compatibility_date is ${top.compatibility_date ?? "missing"}, and Perch was made for ${compatibilityDate}`
    findings.push(warn(FILE, message, RESTORE))
  }
  for (const flag of FLAGS.filter((one) => !(top.compatibility_flags ?? []).includes(one)))
    findings.push(missing("compatibility flag", flag))
  const { assets } = tables
  if (assets?.binding !== "ASSETS") findings.push(missing("binding", "ASSETS"))
  else if (assets.run_worker_first !== true)
    findings.push(fail(FILE, "[assets] lacks run_worker_first = true, and pages get no security headers", RESTORE))
  return findings
}

export const checkWrangler = (root, compatibilityDate) => {
  const file = path.join(root, FILE)
  if (!fs.existsSync(file)) return [fail(FILE, "it is missing", RESTORE)]
  const config = readToml(fs.readFileSync(file, "utf8"))
  const workerFile = path.join(root, "src/worker.ts")
  const worker = fs.existsSync(workerFile) ? fs.readFileSync(workerFile, "utf8") : ""
  const findings = config.wrong.map((line) =>
    warn(FILE, `line ${line} is not understood here`, "`npx wrangler deploy --dry-run` reads it too"),
  )
  for (const other of ["wrangler.json", "wrangler.jsonc"])
    if (fs.existsSync(path.join(root, other)))
      findings.push(fail(other, `wrangler takes it in place of ${FILE}`, "remove it, or name it otherwise"))
  findings.push(
    ...checkTop(root, config, compatibilityDate),
    ...checkObjects(config, worker),
    ...checkMigrations(config),
  )
  findings.push(...checkDatabase(root, config), ...checkQueues(config))
  return findings.length === 0 ? [ok(FILE, "names every binding, migration and queue")] : findings
}
