// The possible errors at Cloudflare, one sentence each with what to do about it. Receives an answer of the API (code, status,
// path), or wrangler's output; returns a DeployError.
// Invariant: no message contains a token, a key or the text of a request.
import { stripVTControlCharacters } from "node:util"

const DASHBOARD = "https://dash.cloudflare.com"
const TOKENS = `${DASHBOARD}/profile/api-tokens`

/** The reason that stopped the deployment, and what the reader can do. */
export class DeployError extends Error {
  constructor(message, advice, code) {
    super(message)
    this.advice = advice
    this.code = code
    /** Whether the request may have had an effect despite the error. What Cloudflare refused had none. */
    this.outcomeUnknown = false
  }
}

/** The permission that a path of the API needs, in the words of the page that creates tokens. */
const PERMISSIONS = [
  [/\/d1\//, "Account · D1 · Edit"],
  [/\/queues/, "Account · Queues · Edit"],
  [/\/workers\//, "Account · Workers Scripts · Edit"],
  [/\/(zones|domains)/, "Zone · Workers Routes · Edit"],
  [/\/memberships/, "User · Memberships · Read"],
  [/\/accounts/, "Account · Account Settings · Read"],
]

const permissionOf = (path) => PERMISSIONS.find(([pattern]) => pattern.test(path))?.[1] ?? "of this request"

/** The API's codes for a credential that is invalid or not permitted. */
const REFUSED = [1000, 6003, 9106, 9109, 10000]

export const TOKEN_NOT_FOUND = [1000, 6003, 9109, 10000]
export const WORKER_NOT_FOUND = [10007, 10090, 10092]
export const D1_NOT_FOUND = [7404, 10000]
export const NO_SUBDOMAIN = 10007
export const SUBDOMAIN_TAKEN = 10031
export const D1_NAME_TAKEN = 7502
export const QUEUE_NAME_TAKEN = 11009

const withUnknownOutcome = (error) => {
  error.outcomeUnknown = true
  return error
}

export const stopped = () =>
  withUnknownOutcome(new DeployError("Stopped.", "Nothing is undone; run this again to continue."))

const notLoggedIn = () =>
  new DeployError(
    "You are not logged in to Cloudflare.",
    "Run `npx wrangler login`, or set CLOUDFLARE_API_TOKEN and CLOUDFLARE_ACCOUNT_ID.",
  )

export const invalidToken = () =>
  new DeployError(
    "Cloudflare does not accept the API token: it is mistyped, expired or revoked.",
    `Make a new one at ${TOKENS} and set it as CLOUDFLARE_API_TOKEN; docs/deploy.md lists its permissions.`,
  )

export const unreachable = (base, reason) =>
  withUnknownOutcome(
    new DeployError(
      `Cloudflare's API at ${new URL(base).host} can't be reached (${reason}).`,
      "Check the network, a proxy (HTTPS_PROXY) and https://www.cloudflarestatus.com, then run this again.",
    ),
  )

const KNOWN = {
  7406: (account) => [
    "The account has as many D1 databases as its plan allows.",
    `Delete one (\`npx wrangler d1 list\`, \`npx wrangler d1 delete NAME\`) or change the plan at ${DASHBOARD}/${account}/workers/plans.`,
  ],
  10027: () => [
    "The Worker's bundle is larger than the account's plan allows.",
    "The free plan takes 3 MiB compressed; `npm run build` prints the size.",
  ],
  10037: (account) => [
    "The account has as many Workers as its plan allows.",
    `Delete one at ${DASHBOARD}/${account}/workers-and-pages, or change the plan at ${DASHBOARD}/${account}/workers/plans.`,
  ],
  10063: (account) => [
    "The account has no workers.dev subdomain yet.",
    `Choose one at ${DASHBOARD}/${account}/workers/onboarding, or let this command do it: --subdomain NAME.`,
  ],
  11002: (account) => [
    "Queues are not enabled for the account.",
    `Open ${DASHBOARD}/${account}/workers/queues once and enable them, then run this again.`,
  ],
  100129: (account) => [
    "The account's Cloudflare plan has no Queues.",
    `Change to Workers Paid at ${DASHBOARD}/${account}/workers/plans; if the account has it, ask Cloudflare's support.`,
  ],
  100328: (account) => [
    "The free plan refuses the CPU limit that Perch sets.",
    `Run this again with --free, or change to Workers Paid at ${DASHBOARD}/${account}/workers/plans.`,
  ],
}

/**
 * The error for an answer of the API. What the API refused had no effect.
 * @param {{ method: string, path: string, status: number, code?: number, message?: string, oauth?: boolean }} answer
 */
export const apiError = (answer) => {
  const error = errorOf(answer)
  error.outcomeUnknown = answer.status >= 500
  return error
}

const errorOf = ({ method, path, status, code, message, oauth = false }) => {
  const account = /\/accounts\/([^/]+)/.exec(path)?.[1] ?? ":account"
  if (code !== undefined && KNOWN[code] !== undefined) return new DeployError(...KNOWN[code](account), code)
  if (REFUSED.includes(code) || status === 401 || status === 403) {
    const permission = permissionOf(path)
    return oauth
      ? new DeployError(
          `Your login may not do this: it needs "${permission}".`,
          "Log in again with `npx wrangler login`, as a member of the account who may, then run this again.",
          code,
        )
      : new DeployError(
          `The API token lacks the permission "${permission}".`,
          `Add it to the token at ${TOKENS} (its value stays the same), then run this again.`,
          code,
        )
  }
  const reason = message === undefined ? "" : `: ${message.replace(/\.$/, "")}`
  const name = code === undefined ? "" : ` [code: ${code}]`
  if (status === 429)
    return new DeployError(
      "Cloudflare's API received too many requests.",
      "Wait five minutes, then run this again.",
      code,
    )
  return new DeployError(
    `Cloudflare's API answered ${status} to ${method} ${path}${reason}${name}.`,
    status >= 500
      ? "Look at https://www.cloudflarestatus.com, then run this again: it continues where it stopped."
      : "Run this again with --dry-run to see what exists. See docs/deploy.md, Troubleshooting.",
    code,
  )
}

/**
 * The error for a wrangler command that failed, by what it printed: the same sentences as for the API itself, since most
 * of its errors are the API's.
 */
export const wranglerError = (command, output, oauth) => withUnknownOutcome(commandError(command, output, oauth))

const commandError = (command, output, oauth) => {
  const text = stripVTControlCharacters(output)
  if (/Not logged in|You are not logged in|not authenticated/i.test(text)) return notLoggedIn()
  if (/ENOTFOUND|ECONNREFUSED|ETIMEDOUT|EAI_AGAIN|fetch failed/i.test(text))
    return new DeployError(
      `\`wrangler ${command}\` could not reach Cloudflare.`,
      "Check the network and a proxy (HTTPS_PROXY), then run this again.",
    )
  const code = Number(/\[code: (\d+)\]/.exec(text)?.[1])
  if (KNOWN[code] !== undefined || REFUSED.includes(code)) {
    const path = /Cloudflare API \((\/[^)\s]+)\)/.exec(text)?.[1] ?? "/workers/"
    return errorOf({ path, code, oauth })
  }
  const lines = text.split("\n").map((line) => line.trim())
  const at = lines.findIndex((line) => line.includes("[ERROR]"))
  const reason = at === -1 ? lines.filter(Boolean).slice(-3) : lines.slice(at, at + 4).filter(Boolean)
  return new DeployError(
    `\`wrangler ${command}\` failed: ${reason.join(" ").replace(/^.*\[ERROR\]\s*/, "")}`,
    "Run this again: it continues where it stopped. See docs/deploy.md, Troubleshooting.",
  )
}
