// Receives the environment and `.dev.vars`; returns the settings of a local server and writes them to its env file.
// Invariant: a secret is only ever written to files that their owner alone can read, never to a command line.
import { randomBytes } from "node:crypto"
import fs from "node:fs"
import path from "node:path"
import { parseEnv } from "node:util"

/** Environment variables that win over `.dev.vars`. One that is set to nothing takes the value away. */
const FROM_ENVIRONMENT = [
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_BASE_URL",
  "PERCH_ROOT_KEY",
  "PERCH_LOG",
  "PERCH_CORS_ORIGINS",
  "PERCH_FETCH_ALLOW",
  "PERCH_FETCH_RESOLVER",
  "PERCH_WORKSPACE_LIMITS",
  "PERCH_ALLOW_PRIVATE_HOOKS",
]

const readVars = (file) => (fs.existsSync(file) ? parseEnv(fs.readFileSync(file, "utf8")) : {})

/** Adds a development key to `.dev.vars`, which is made when there is none. */
const writeDevelopmentKey = (file) => {
  const key = `perch_dev_${randomBytes(20).toString("hex")}`
  const before = fs.existsSync(file)
    ? fs.readFileSync(file, "utf8")
    : "# Settings of local development; never committed.\n"
  const gap = before === "" || before.endsWith("\n") ? "" : "\n"
  fs.writeFileSync(file, `${before}${gap}PERCH_ROOT_KEY="${key}"\n`, { mode: 0o600 })
  return key
}

/** The settings of this start: `.dev.vars`, overruled by the environment, with a root key in any case. */
export const loadSettings = (root, environment) => {
  const file = path.join(root, ".dev.vars")
  const vars = readVars(file)
  if (!environment.PERCH_ROOT_KEY && !vars.PERCH_ROOT_KEY) vars.PERCH_ROOT_KEY = writeDevelopmentKey(file)
  for (const name of FROM_ENVIRONMENT) {
    const value = environment[name]
    if (value) vars[name] = value
    else if (value === "" && name !== "PERCH_ROOT_KEY") delete vars[name]
  }
  return { vars, keyIsLocal: !environment.PERCH_ROOT_KEY }
}

/** One value as dotenv reads it back; `$` is escaped because wrangler expands it. */
const quoted = (name, value) => {
  const mark = ["'", "`", '"'].find((candidate) => !value.includes(candidate))
  if (mark === undefined || (mark === '"' && /\\[nr]/.test(value))) {
    throw new Error(`${name} mixes every kind of quotation mark, which an env file can't hold`)
  }
  return `${mark}${value.replaceAll("$", "\\$")}${mark}`
}

/** Writes the settings for `wrangler dev --env-file` and returns the file's path. */
export const writeEnvFile = (directory, vars) => {
  const file = path.join(directory, "perch.env")
  fs.mkdirSync(directory, { recursive: true })
  fs.rmSync(file, { force: true })
  const lines = Object.entries(vars).map(([name, value]) => `${name}=${quoted(name, value)}\n`)
  fs.writeFileSync(file, lines.join(""), { mode: 0o600 })
  return file
}
