// Receives the environment and `.dev.vars`; returns the settings of a local server.
// Invariant: the only secret that is written, the development key, goes into a file that only its owner can read.
import { randomBytes } from "node:crypto"
import fs from "node:fs"
import path from "node:path"
import { parseEnv } from "node:util"
import { FROM_ENVIRONMENT } from "../setting-names.mjs"

/** The settings in `.dev.vars`; empty if there is no such file. */
export const readVars = (file) => (fs.existsSync(file) ? parseEnv(fs.readFileSync(file, "utf8")) : {})

/** Adds a development key to `.dev.vars`, and creates the file if there is none. */
const writeDevelopmentKey = (file) => {
  const key = `perch_dev_${randomBytes(20).toString("hex")}`
  const before = fs.existsSync(file)
    ? fs.readFileSync(file, "utf8")
    : "# Settings of local development; never committed.\n"
  const gap = before === "" || before.endsWith("\n") ? "" : "\n"
  fs.writeFileSync(file, `${before}${gap}PERCH_ROOT_KEY="${key}"\n`, { mode: 0o600 })
  fs.chmodSync(file, 0o600)
  return key
}

/** The settings of this start: `.dev.vars`, overridden by the environment, always with a root key. */
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
