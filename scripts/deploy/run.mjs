// The deployment, in order: account, what exists, plan, database, queues, migrations, Worker, checks.
// Invariants: every step checks what exists and creates only what is missing, so that a run after any failure continues where
// that one stopped; nothing is written before the plan was shown.
import fs from "node:fs"
import path from "node:path"
import { findAccount, inspect, migrationsIn } from "./account.mjs"
import { checkDeployment } from "./check.mjs"
import { deploymentOf, writeConfig } from "./config.mjs"
import { createDatabase, createQueue, createSubdomain } from "./create.mjs"
import { DeployError } from "./errors.mjs"
import { planRows } from "./report.mjs"
import { PendingKey, makeRootKey, planSecrets, prepareKeyFile, withSecretsFile, writeKeyFile } from "./secrets.mjs"

const needSubdomain = (account) =>
  new DeployError(
    "The account has no workers.dev subdomain yet, and the Worker's address is below it.",
    `Choose one at https://dash.cloudflare.com/${account}/workers/onboarding, or let this command register it: --subdomain NAME.`,
  )

const makeMissing = async ({ api, account, deployment, found, options, report }) => {
  const { subdomain } = options
  if (found.subdomain === undefined && subdomain !== undefined)
    await report.change(
      `registering ${subdomain}.workers.dev`,
      () => createSubdomain(api, account, subdomain),
      (name) => `registered ${name}.workers.dev`,
    )
  const { name: database } = deployment.database
  const databaseId =
    found.database?.id ??
    (await report.change(
      `creating D1 database ${database}`,
      () => createDatabase(api, account, database),
      (id) => `created D1 database ${database} (${id})`,
    ))
  for (const { name, exists } of found.queues) {
    if (exists) continue
    await report.change(
      `creating queue ${name}`,
      () => createQueue(api, account, name),
      () => `created queue ${name}`,
    )
  }
  return databaseId
}

/** Uploads the Worker together with the secrets that it lacks, in one version, so that it never runs without its key. */
const upload = async ({ root, deployment, config, rootKey, modelKey, wrangler, report }) => {
  const secrets = {
    ...(rootKey.action === "keep" || rootKey.value === undefined ? {} : { PERCH_ROOT_KEY: rootKey.value }),
    ...(modelKey.action === "set" ? { ANTHROPIC_API_KEY: modelKey.value } : {}),
  }
  const { worker } = deployment
  const names = Object.keys(secrets).map((name) => `, set secret ${name}`)
  await report.change(
    `deploying Worker ${worker}`,
    () => withSecretsFile(root, worker, secrets, (file) => wrangler.deploy(config, file)),
    () => `deployed Worker ${worker}${names.join("")}`,
  )
}

/** Makes every change of a deployment, the upload of the Worker last; returns the secrets that it has then. */
const change = async (target, { secrets, pending, ask }) => {
  const { root, deployment, found, options, wrangler, report } = target
  const value = secrets.modelKey.action === "none" ? await ask?.() : undefined
  const modelKey = value === undefined ? secrets.modelKey : { action: "set", value }
  const databaseId = await makeMissing(target)
  const config = writeConfig(root, { worker: deployment.worker, databaseId, free: options.free })
  if (found.database === undefined || found.database.missing.length > 0) {
    report.begin("Applying migrations")
    await report.change(
      "applying migrations, each of which is applied whole or not",
      () => wrangler.migrate(config),
      () => "applied migrations",
    )
  }
  const rootKey = makeRootKey(secrets.rootKey, pending)
  // Before it is sent: the job may end with a failed check, and its working folder with it.
  if (options.keyFile !== undefined && rootKey.unseen) writeKeyFile(options.keyFile, rootKey.value)
  report.begin("Deploying the Worker")
  await upload({ root, deployment, config, rootKey, modelKey, wrangler, report })
  return { rootKey, modelKey }
}

/**
 * Deploys Perch, or with `dryRun` and `check` only looks.
 * @param {object} input
 *   `wrangler`: see Wrangler; `makeApi`: the API for credentials; `ask`: asks for the model's key, or undefined where there is no
 *   terminal to ask on; `canKeepKey`: whether a new root key reaches its owner
 */
export const deploy = async ({ root, env, options, wrangler, makeApi, ask, canKeepKey, patience, report }) => {
  const workersBuilds = env.WORKERS_CI === "1"
  const text = fs.readFileSync(path.join(root, "wrangler.toml"), "utf8")
  const deployment = deploymentOf(text, options.name ?? (env.WRANGLER_CI_OVERRIDE_NAME || undefined))
  const api = makeApi(await wrangler.credentials())
  const account = await findAccount(api, options.account)
  wrangler.use(account, api.credentials.type === "oauth")
  const migrations = migrationsIn(root)
  const found = await inspect({ api, account, deployment, migrations, adopt: workersBuilds })

  const pending = new PendingKey(root, deployment.worker)
  const set = found.worker?.secrets ?? []
  const secrets = planSecrets({ set, env, pending, workersBuilds, canKeepKey: canKeepKey || options.dryRun })
  const subdomainName = found.subdomain ?? options.subdomain
  if (subdomainName === undefined && options.url === undefined) throw needSubdomain(account)
  const url = options.url ?? `https://${deployment.worker}.${subdomainName}.workers.dev`
  const asks = ask !== undefined
  const rows = planRows({ deployment, found, secrets, subdomain: options.subdomain, url, asks })
  if (!options.check) report.plan(account, rows)
  if (options.dryRun) return { url, deployed: false }
  if (options.check && found.worker === undefined)
    throw new DeployError(`The account has no Worker ${deployment.worker}.`, "Deploy it: npm run deploy.")

  const { action, unseen } = secrets.rootKey
  if (options.keyFile !== undefined && (action === "create" || unseen)) prepareKeyFile(options.keyFile)
  const target = { root, api, account, deployment, found, options, wrangler, report }
  const { rootKey, modelKey } = options.check ? secrets : await change(target, { secrets, pending, ask })

  report.begin(`Checking ${url}`)
  const hasRootKey = rootKey.action !== "none"
  const onWait = (line) => report.begin(line)
  const { value: key, from: keyFrom } = rootKey
  // A check without a deployment tests what is deployed, whatever the code of this clone is.
  const migration = options.check ? undefined : path.parse(migrations.at(-1)).name
  const { passed, model } = await checkDeployment({ url, key, keyFrom, hasRootKey, migration, patience, onWait })
  for (const name of passed) report.passed(name)
  return { url, account, worker: deployment.worker, deployed: !options.check, rootKey, modelKey, model, pending }
}
