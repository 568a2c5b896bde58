// The Worker, database and queues of a deployment, and the configuration that wrangler reads for it. Receives the text of
// wrangler.toml and the name of the deployment; wrangler.NAME.toml is written next to it, because paths in a configuration are
// relative to its file. Git ignores it, so that a deployment changes no tracked file.
import fs from "node:fs"
import path from "node:path"
import { wranglerConfig } from "../wrangler-config.mjs"
import { DeployError } from "./errors.mjs"

const PLACEHOLDER = "00000000-0000-0000-0000-000000000000"
const NAME = /^[a-z][a-z0-9-]{0,47}$/

const HEAD = `# Written by \`npm run deploy\` from wrangler.toml; what you change here is lost. Other wrangler commands take it too:
# npx wrangler tail --config FILE
`

const first = (text, pattern) => new RegExp(pattern, "m").exec(text)?.[1]

/** Only before the first table, because a binding has a `name` as well. */
const workerIn = (text) => first(text.split(/^\[/m, 1)[0], '^name = "([^"]*)"$')

/**
 * What the deployment consists of. Without a name it is that of wrangler.toml, with the database that its id names, if any.
 * @param {string} text  of wrangler.toml
 * @param {string | undefined} name  of the Worker; names of the database and the queues derive from it
 */
export const deploymentOf = (text, name) => {
  const own = workerIn(text)
  if (own === undefined)
    throw new DeployError('wrangler.toml has no line `name = "…"`.', "Restore it: `git checkout wrangler.toml`.")
  if (name !== undefined && !NAME.test(name))
    throw new DeployError(
      `--name ${name} is not a name for a Worker.`,
      "Use small letters, digits and hyphens, at most 48, beginning with a letter.",
    )
  if (name !== undefined && name !== own)
    return { worker: name, database: { name, id: undefined }, queues: [`${name}-hooks`, `${name}-hooks-dead`] }
  const id = first(text, '^database_id = "([^"]*)"$')
  return {
    worker: own,
    database: { name: first(text, '^database_name = "([^"]*)"$') ?? own, id: id === PLACEHOLDER ? undefined : id },
    queues: [...new Set(Array.from(text.matchAll(/^queue = "([^"]*)"$/gm), ([, queue]) => queue))],
  }
}

/** Writes the deployment's configuration and returns the file's name. A file that is already correct is not touched. */
export const writeConfig = (root, { worker, databaseId, free }) => {
  const text = fs.readFileSync(path.join(root, "wrangler.toml"), "utf8")
  const name = worker === workerIn(text) ? undefined : worker
  const config = HEAD + wranglerConfig(text, { name, databaseId, free })
  const file = `wrangler.${worker}.toml`
  const target = path.join(root, file)
  if (!fs.existsSync(target) || fs.readFileSync(target, "utf8") !== config) fs.writeFileSync(target, config)
  return file
}
