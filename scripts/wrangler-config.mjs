// Prints a configuration for wrangler, made of wrangler.toml: for another environment, and for the free plan.
// `node scripts/wrangler-config.mjs --env staging --database-id ID > wrangler.staging.toml`, then every wrangler command takes
// `--config wrangler.staging.toml`. Invariant: nothing differs from wrangler.toml but names, the database and what the plan refuses.
import fs from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"

const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)))

const HELP = `node scripts/wrangler-config.mjs [options] > wrangler.NAME.toml
  --env NAME          names the Worker, its database and its queues perch-NAME…
  --name NAME         names them NAME, NAME-hooks and NAME-hooks-dead, as \`npm run deploy -- --name NAME\` does
  --database-id ID    what "npx wrangler d1 create" printed for that database
  --free              for the free plan, which refuses [limits]
  --metrics DATASET   binds an Analytics Engine data set as METRICS
  --help              prints this`

/** Replaces a text that must occur exactly once; a wrangler.toml that was changed is never guessed. */
const replaced = (text, pattern, to) => {
  const found = text.match(new RegExp(pattern, "gm")) ?? []
  if (found.length !== 1) throw new Error(`wrangler.toml has ${found.length} lines like ${pattern}, not one`)
  return text.replace(new RegExp(pattern, "m"), to)
}

/**
 * The configuration's text.
 * @param {string} text
 * @param {{ env?: string, name?: string, databaseId?: string, free?: boolean, metrics?: string }} options
 */
export const wranglerConfig = (text, { env, name, databaseId, free = false, metrics }) => {
  let config = text
  if (env !== undefined && !/^[a-z][a-z0-9-]{0,30}$/.test(env))
    throw new Error("--env is a name of small letters, digits and hyphens")
  if (name !== undefined && !/^[a-z][a-z0-9-]{0,47}$/.test(name))
    throw new Error("--name is a name of small letters, digits and hyphens")
  if (databaseId !== undefined && !/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(databaseId))
    throw new Error("--database-id is an id such as 1b2e4a60-7d3c-4f5e-9a8b-0c1d2e3f4a5b")
  if (metrics === "") throw new Error("--metrics is the name of a data set")
  if (env !== undefined && name !== undefined)
    throw new Error("--env and --name both name the Worker: give one of them")
  const worker = name ?? (env === undefined ? undefined : `perch-${env}`)
  if (worker !== undefined) {
    config = replaced(config, '^name = "perch"$', `name = "${worker}"`)
    config = replaced(config, '^database_name = "perch"$', `database_name = "${worker}"`)
    config = config.replace(/"perch-hooks(-dead)?"/g, (_, dead = "") => `"${worker}-hooks${dead}"`)
  }
  if (databaseId !== undefined) config = replaced(config, '^database_id = ".*"$', `database_id = "${databaseId}"`)
  if (free)
    config = replaced(config, "^\\[limits\\]\\ncpu_ms = \\d+\\n", "# No [limits]: the free plan refuses them.\n")
  if (metrics !== undefined) {
    config += `\n[[analytics_engine_datasets]]\nbinding = "METRICS"\ndataset = ${JSON.stringify(metrics)}\n`
  }
  return config
}

const main = () => {
  const { values } = parseArgs({
    options: {
      env: { type: "string" },
      name: { type: "string" },
      "database-id": { type: "string" },
      free: { type: "boolean" },
      metrics: { type: "string" },
      help: { type: "boolean", short: "h", default: false },
    },
  })
  if (values.help) return console.log(HELP)
  const { env, name, free, metrics } = values
  const databaseId = values["database-id"]
  if (env === undefined && name === undefined && databaseId === undefined && !free && metrics === undefined)
    throw new Error(HELP)
  const text = fs.readFileSync(path.join(ROOT, "wrangler.toml"), "utf8")
  process.stdout.write(wranglerConfig(text, { env, name, databaseId, free, metrics }))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    main()
  } catch (error) {
    console.error(error.message)
    process.exitCode = 1
  }
}
