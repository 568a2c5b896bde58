// Receives the project's folder and the environment; checks whether `.dev.vars` and its settings are usable.
// Invariant: no value is printed: errors name the line or the setting.
import { spawnSync } from "node:child_process"
import fs from "node:fs"
import path from "node:path"
import { FROM_ENVIRONMENT, SECRETS } from "../setting-names.mjs"
import { fail, ok, warn } from "./finding.mjs"

const FILE = ".dev.vars"
const KEY_LENGTH = 32

/** `NAME=value` with or without quotes; the quotes are not part of the value. */
const LINE = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(?:"([^"]*)"|'([^']*)'|`([^`]*)`|([^"'`#\s][^#]*|))\s*(?:#.*)?$/

/** The placeholders that examples have as values. */
const PLACEHOLDER =
  /^(?:x+|\.{3}|…|<.*>|\[.*\]|\$\{?\w+\}?|sk-ant-(?:x+|\.*|…)|your[-_ ].*|(?:.*[-_ ])?(?:change[-_ ]?me|replace[-_ ]?me|placeholder|todo)(?:[-_ ].*)?|(?:root|api)[-_ ]?key|secret|password)$/i

/** The settings of a `.dev.vars`; `wrong` has the numbers of lines that are neither settings nor comments, `twice` the repeated names. */
export const readLines = (text) => {
  const vars = {}
  const wrong = []
  const twice = []
  text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .forEach((line, at) => {
      if (/^\s*(#.*)?$/.test(line)) return
      const match = LINE.exec(line)
      if (match === null) return wrong.push(at + 1)
      const [, name, ...values] = match
      if (Object.hasOwn(vars, name)) twice.push(name)
      vars[name] = (values.find((value) => value !== undefined) ?? "").trim()
    })
  return { vars, wrong, twice }
}

const checkFile = (root) => {
  const file = path.join(root, FILE)
  if (!fs.existsSync(file)) return { vars: {}, findings: [ok(FILE, "not there yet; `npm start` writes one")] }
  let text
  try {
    text = fs.readFileSync(file, "utf8")
  } catch {
    return { vars: {}, findings: [fail(FILE, "it can't be read", `chown and chmod 600 ${FILE}`)] }
  }
  const { vars, wrong, twice } = readLines(text)
  const findings = wrong.map((line) =>
    fail(FILE, `line ${line} is not a setting`, 'write NAME="value", or put # before a comment'),
  )
  for (const name of twice) findings.push(warn(FILE, `${name} appears twice, and the last one counts`, "remove one"))
  const mode = fs.statSync(file).mode & 0o777
  if (process.platform !== "win32" && (mode & 0o077) !== 0)
    findings.push(warn(FILE, "other users of this machine can read it", `chmod 600 ${FILE}`))
  const tracked = spawnSync("git", ["ls-files", "--error-unmatch", FILE], { cwd: root, stdio: "ignore" })
  if (tracked.status === 0)
    findings.push(fail(FILE, "git tracks it, with its secrets", `git rm --cached ${FILE}, then create new keys`))
  const count = Object.keys(vars).length
  if (findings.length === 0) findings.push(ok(FILE, count === 1 ? "1 setting" : `${count} settings`))
  return { vars, findings }
}

const isUrl = (text) => /^https?:\/\/\S+$/.test(text) && URL.canParse(text)

const isJsonObject = (text) => {
  try {
    const value = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

const oneOf = (values) => ({ test: (value) => values.includes(value), need: `must be ${values.join(", ")}` })
/** The rule for the entries of a list with commas. */
const each = (isEntry, need) => ({
  test: (value) =>
    value
      .split(",")
      .map((entry) => entry.trim())
      .every((entry) => entry === "" || isEntry(entry)),
  need,
})

/** An origin as browsers send it: a page of `https://app.example/` has the origin `https://app.example`. */
const isOrigin = (text) => URL.canParse(text) && new URL(text).origin === text

const isHost = (text) => !/[/?#@\\\s]/.test(text) && URL.canParse(`http://${text}/`)

const URL_TEXT = { test: isUrl, need: "must be an address such as https://host" }
const JSON_TEXT = { test: isJsonObject, need: "must be a JSON object" }

const FORMS = {
  ANTHROPIC_BASE_URL: URL_TEXT,
  OPENAI_BASE_URL: URL_TEXT,
  PERCH_PUBLIC_URL: URL_TEXT,
  PERCH_LIMITS: JSON_TEXT,
  PERCH_WORKSPACE_LIMITS: JSON_TEXT,
  PERCH_LOG: oneOf(["quiet", "requests", "debug"]),
  PERCH_RUNTIME: oneOf(["live", "offline", "record"]),
  PERCH_CORS_ORIGINS: each(
    isOrigin,
    "must be origins such as https://app.example, without a path and separated by commas",
  ),
  PERCH_FETCH_ALLOW: each(isHost, "must be hosts such as wiki.internal or 10.0.0.7:8080, separated by commas"),
  PERCH_FETCH_RESOLVER: {
    test: (value) => value === "off" || (value.startsWith("https://") && URL.canParse(value)),
    need: "must be an https address, or off",
  },
  PERCH_ALLOW_PRIVATE_HOOKS: oneOf(["true", "false"]),
  PERCH_INVOCATION_SECONDS: { test: (value) => /^\d{1,4}$/.test(value), need: "must be a whole number below 10,000" },
}

const checkKeys = (vars) => {
  const findings = []
  const root = vars.PERCH_ROOT_KEY
  const longKey = "PERCH_ROOT_KEY=$(openssl rand -hex 24)"
  for (const name of SECRETS.filter((secret) => vars[secret] && PLACEHOLDER.test(vars[secret])))
    findings.push(fail(name, "it is a placeholder", `put the real value into ${FILE}, or remove the line`))
  if (root && !PLACEHOLDER.test(root) && root.length < KEY_LENGTH)
    findings.push(fail("PERCH_ROOT_KEY", `it has ${root.length} characters, and ${KEY_LENGTH} are needed`, longKey))
  const claude = vars.ANTHROPIC_API_KEY
  if (!claude && !vars.ANTHROPIC_BASE_URL) findings.push(ok("model", "offline; set ANTHROPIC_API_KEY to use Claude"))
  else if (claude && !PLACEHOLDER.test(claude) && !vars.ANTHROPIC_BASE_URL && !/^sk-ant-\S{20,}$/.test(claude))
    findings.push(warn("ANTHROPIC_API_KEY", "it does not look like a key of Anthropic", "copy it whole: sk-ant-…"))
  else findings.push(ok("model", "live (Messages API)"))
  return findings
}

/** The settings as `npm start` would use them, and their errors. */
export const checkSettings = (root, environment) => {
  const { vars: written, findings } = checkFile(root)
  const fromEnvironment = Object.entries(environment).filter(
    ([name, value]) => FROM_ENVIRONMENT.includes(name) && value,
  )
  const vars = { ...written, ...Object.fromEntries(fromEnvironment) }
  for (const [name, { test, need }] of Object.entries(FORMS)) {
    if (vars[name] && !test(vars[name])) findings.push(fail(name, need, `correct it in ${FILE} or in the environment`))
  }
  for (const name of Object.keys(written).filter((one) => /^(PERCH|ANTHROPIC|OPENAI)_/.test(one)))
    if (!FROM_ENVIRONMENT.includes(name))
      findings.push(warn(name, "Perch has no such setting", "README.md, “Configuration”"))
  return { vars, findings: [...findings, ...checkKeys(vars)] }
}
