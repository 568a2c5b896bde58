// Receives the address of a running server, local or deployed; checks what it lacks, and whether it runs this checkout's
// version.
// Invariant: a key is only sent to loopback or over HTTPS, and only the one of that server.
import { ask, isLocal } from "./ask.mjs"
import { fail, ok, warn } from "./finding.mjs"

const SKEW_MS = 60_000

const migrate = (isOwn) => (isOwn ? "stop and start it again: npm start" : "npm run deploy applies them")

const checkVersions = (url, { versions }, expected, isOwn) => {
  const again = isOwn ? "stop and start it again: npm start" : "deploy this checkout, or check out what is deployed"
  return [
    ["perch", "Perch"],
    ["compatibility_date", "compatibility date"],
    ["migration", "last migration"],
  ].flatMap(([field, name]) =>
    versions?.[field] === expected[field]
      ? []
      : [warn(url, `its ${name} is ${versions?.[field]}, this checkout's is ${expected[field]}`, again)],
  )
}

const checkBindings = (url, { bindings }) =>
  (bindings?.missing ?? []).map((name) =>
    fail(url, `the binding ${name} is missing`, "compare wrangler.toml with this checkout's, and deploy again"),
  )

/** The invalid setting in an answer of `/readyz`. */
const settingFindings = (url, json) => {
  const setting = json?.error?.issues?.find(({ field }) => field === "settings")
  return setting?.message ? [fail(url, setting.message, "correct it; until then every request is refused")] : []
}

const REBUILD = "docs/delivery.md, “Rebuild D1”"

/** Why a local server refuses requests, a setting or its database; nothing if the server does not answer. */
export const checkServed = async (url, key) => {
  const { json } = await ask(`${url}/readyz`, { authorization: `Bearer ${key}` })
  const isBroken = (json?.error?.issues ?? []).some(({ field }) => field === "d1")
  return [...settingFindings(url, json), ...(isBroken ? [fail(url, "its database does not answer", REBUILD)] : [])]
}

const checkReady = async (url, key, isOwn) => {
  const { status, json } = await ask(`${url}/readyz`, key === undefined ? {} : { authorization: `Bearer ${key}` })
  if (status === 200) return []
  if (status === 401) return [fail(url, "it does not take this key", "use the server's own root key")]
  const issues = (json?.error?.issues ?? []).map(({ field }) => field)
  const settings = settingFindings(url, json)
  if (settings.length > 0) return settings
  // A database that does not answer can't show its migrations.
  if (issues.includes("migrations") && !issues.includes("d1"))
    return [fail(url, "its database lacks migrations", migrate(isOwn))]
  const which = issues.length === 0 ? "" : `: ${issues.join(", ")}`
  const known = isOwn && issues.includes("d1") ? REBUILD : "docs/production.md, “Health checks”"
  const fix = key === undefined ? "PERCH_KEY=ROOT-KEY npm run doctor shows why" : known
  return [fail(url, `it is not ready${which}`, fix)]
}

/** Called without a key, an API without a root key reports that it has none. */
const checkRootKey = async (url, isOwn) => {
  const { json } = await ask(`${url}/v1/models`)
  if (json?.error?.type !== "not_configured_error") return []
  const fix = isOwn ? "set PERCH_ROOT_KEY, and start again" : "npx wrangler secret put PERCH_ROOT_KEY"
  return [fail(url, "no root key of at least 32 characters is set, so it refuses every request", fix)]
}

const REASONS = {
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "the host does not exist",
  EAI_AGAIN: "the name could not be looked up",
  ETIMEDOUT: "it did not answer within ten seconds",
  CERT_HAS_EXPIRED: "its certificate has expired",
  HPE_INVALID_CONSTANT: "it does not answer over http",
  EPROTO: "it does not answer over https",
}

/** Fixes for a local server that can't be reached, by error code. */
const LOCAL_FIXES = {
  HPE_INVALID_CONSTANT: "npm run doctor -- --local-protocol https",
  EPROTO: "npm run doctor -- --local-protocol http",
}

/** `expected` are the versions of this checkout; `key` the server's root key, where it is known. */
export const checkServer = async (url, { expected, key, now }) => {
  const isOwn = isLocal(url)
  if (!isOwn && !url.startsWith("https://"))
    return [
      fail(url, "a server that others reach is asked over https:// only", `--url ${url.replace(/^http:/, "https:")}`),
    ]
  const { error, status, json, date } = await ask(`${url}/healthz`)
  if (error !== undefined) {
    const fix = isOwn ? (LOCAL_FIXES[error] ?? "npm start") : "check the address"
    return [fail(url, REASONS[error] ?? `it can't be reached (${error})`, fix)]
  }
  if (status !== 200 || json?.status !== "ok") {
    const fix = isOwn ? "choose another port: npm start -- --port N" : "check the address"
    return [fail(url, `what answers there is not Perch (${status})`, fix)]
  }
  const findings = [
    ...checkBindings(url, json),
    ...checkVersions(url, json, expected, isOwn),
    ...(await checkRootKey(url, isOwn)),
    ...(await checkReady(url, key, isOwn)),
  ]
  if (!isOwn && Math.abs(date - now) > SKEW_MS)
    findings.push(
      warn("clock", `it differs from the server's by ${Math.round(Math.abs(date - now) / 1000)} s`, "set it"),
    )
  if (findings.length > 0) return findings
  return [
    ok(url, `Perch ${json.versions.perch} is ready${json.versions.runtime ? ` on ${json.versions.runtime}` : ""}`),
  ]
}

/**
 * Whether the model's server takes the key; asked with `--online` only. It costs nothing: the models are listed.
 * @param {{ ANTHROPIC_API_KEY?: string, ANTHROPIC_BASE_URL?: string }} vars
 */
export const checkModel = async ({ ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: base }) => {
  const about = "Messages API"
  if (!key && !base) return [ok(about, "not used: the offline model answers")]
  const url = `${(base ?? "https://api.anthropic.com").replace(/\/$/, "")}/v1/models?limit=1`
  if (!url.startsWith("https://") && !isLocal(url))
    return [warn(about, "ANTHROPIC_BASE_URL is not https://, and its key was not tried", "use https://")]
  const headers = { "anthropic-version": "2023-06-01", ...(key ? { "x-api-key": key } : {}) }
  const { error, status } = await ask(url, headers)
  if (error !== undefined)
    return [
      fail(about, REASONS[error] ?? `it can't be reached (${error})`, "check the network, a proxy, ANTHROPIC_BASE_URL"),
    ]
  if (status === 401 || status === 403)
    return [fail(about, "it does not take ANTHROPIC_API_KEY", "create a key: https://console.anthropic.com")]
  // A server that only implements POST /v1/messages lists no models.
  return status < 500 ? [ok(about, "reached")] : [warn(about, `it answered ${status}`, "try again later")]
}
