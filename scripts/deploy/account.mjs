// Finds the account to deploy to, and which parts of the deployment it already has. Only reads.
// Invariant: a resource with the deployment's name that does not belong to Perch is an error here, before anything is written.
import fs from "node:fs"
import path from "node:path"
import { D1_NOT_FOUND, DeployError, NO_SUBDOMAIN, TOKEN_NOT_FOUND, WORKER_NOT_FOUND, invalidToken } from "./errors.mjs"

const OTHER_NAME = "Choose another name for this deployment: npm run deploy -- --name NAME."

/** Rejects an API token that Cloudflare does not know, so that a later refusal can only be about a permission. */
const checkToken = async (api, account) => {
  if (api.credentials.type !== "api_token") return
  const own = await api.call("GET", "/user/tokens/verify", { absent: TOKEN_NOT_FOUND })
  const owned = account === undefined ? undefined : `/accounts/${account}/tokens/verify`
  const token = own ?? (owned && (await api.call("GET", owned, { absent: TOKEN_NOT_FOUND })))
  if (token?.status !== "active") throw invalidToken()
}

/** The account's id: the given one, or the only one that the credentials can access. */
export const findAccount = async (api, given) => {
  await checkToken(api, given)
  if (given !== undefined) return given
  const accounts = await api.list("/accounts")
  if (accounts.length === 1) return accounts[0].id
  const names = accounts.map(({ id, name }) => `${id} (${name})`).join(", ")
  throw new DeployError(
    accounts.length === 0
      ? "The credentials can access no account."
      : `The credentials can access several accounts: ${names}.`,
    "Set CLOUDFLARE_ACCOUNT_ID to the one to deploy to; `npx wrangler whoami` lists them.",
  )
}

export const migrationsIn = (root) =>
  fs
    .readdirSync(path.join(root, "migrations"))
    .filter((name) => name.endsWith(".sql"))
    .toSorted()

/**
 * Whether Perch may replace a Worker: it is Perch, or the draft that `wrangler secret put` creates before the first
 * deployment.
 */
const isPerch = (bindings) =>
  bindings.some(({ type, class_name }) => type === "durable_object_namespace" && class_name === "SessionObject") ||
  (bindings.some(({ name }) => name === "PERCH_ROOT_KEY") && bindings.every(({ type }) => type === "secret_text"))

const workerOf = async (api, scripts, name, adopt) => {
  const settings = await api.call("GET", `${scripts}/${name}/settings`, { absent: WORKER_NOT_FOUND })
  if (settings === undefined) return undefined
  if (!adopt && !isPerch(settings.bindings ?? []))
    throw new DeployError(`The account has a Worker ${name} that is not Perch.`, OTHER_NAME)
  const secrets = await api.call("GET", `${scripts}/${name}/secrets`, { absent: WORKER_NOT_FOUND })
  return { secrets: (secrets ?? []).map((secret) => secret.name) }
}

const rows = async (api, databases, id, sql) => {
  const [answer] = await api.call("POST", `${databases}/${id}/query`, { body: { sql } })
  return answer.results
}

const databaseOf = async (api, databases, { name, id }, migrations) => {
  const found =
    id === undefined
      ? (await api.list(databases, { name })).find((database) => database.name === name)
      : await api.call("GET", `${databases}/${id}`, { absent: D1_NOT_FOUND })
  if (found === undefined) {
    if (id === undefined) return undefined
    throw new DeployError(
      `wrangler.toml names the database ${id}, and the account has none with that id.`,
      "Check the account (CLOUDFLARE_ACCOUNT_ID), or put back the id of zeros: the database is then found by its name.",
    )
  }
  const tables = (await rows(api, databases, found.uuid, "SELECT name FROM sqlite_master WHERE type = 'table'"))
    .map((table) => table.name)
    .filter((table) => !/^(_cf_|sqlite_)/.test(table))
  const known = tables.includes("d1_migrations")
    ? (await rows(api, databases, found.uuid, "SELECT name FROM d1_migrations ORDER BY id")).map((row) => row.name)
    : []
  const foreign = tables.filter((table) => table !== "d1_migrations")
  if (foreign.length > 0 && !known.includes(migrations[0]))
    throw new DeployError(`The account has a D1 database ${found.name} with tables that are not Perch's.`, OTHER_NAME)
  return { id: found.uuid, name: found.name, missing: migrations.filter((migration) => !known.includes(migration)) }
}

const queueOf = async (api, queues, name, worker) => {
  const queue = (await api.list(queues, { name })).find((one) => one.queue_name === name)
  const others = (queue?.consumers ?? []).map((consumer) => consumer.script ?? consumer.service ?? "a pull consumer")
  const other = others.find((consumer) => consumer !== worker)
  if (other !== undefined)
    throw new DeployError(`The account's queue ${name} is consumed by ${other}, not by ${worker}.`, OTHER_NAME)
  return { name, exists: queue !== undefined }
}

/**
 * What exists of the deployment.
 * @param {{ api: import("./api.mjs").CloudflareApi, account: string, deployment: object, migrations: string[], adopt: boolean }} input
 *   `adopt`: a Worker of the name is replaced whatever it is, as in Workers Builds, which makes one before the first build
 */
export const inspect = async ({ api, account, deployment, migrations, adopt }) => {
  const base = `/accounts/${account}`
  const subdomain = await api.call("GET", `${base}/workers/subdomain`, { absent: [NO_SUBDOMAIN] })
  const worker = await workerOf(api, `${base}/workers/scripts`, deployment.worker, adopt)
  const database = await databaseOf(api, `${base}/d1/database`, deployment.database, migrations)
  const queues = []
  for (const name of deployment.queues) queues.push(await queueOf(api, `${base}/queues`, name, deployment.worker))
  return { subdomain: subdomain?.subdomain ?? undefined, worker, database, queues }
}
