// Cloudflare's REST API as the deployment needs it: one call, with the API's errors as DeployErrors. Receives the API's address
// and credentials; returns the `result` of answers.
// Invariant: only reads are retried automatically. A write of unknown outcome is an error: the next run checks what exists.
import { setTimeout as delay } from "node:timers/promises"
import { apiError, DeployError, invalidToken, unreachable } from "./errors.mjs"

export const API_BASE = "https://api.cloudflare.com/client/v4"
const LIMIT_MS = 60_000
const PAUSES = [500, 2_000]
const PER_PAGE = 50

const authorization = ({ token, key, email }) =>
  token === undefined ? { "x-auth-key": key, "x-auth-email": email } : { authorization: `Bearer ${token}` }

export class CloudflareApi {
  /**
   * @param {string} base  address of the API, without a slash at its end
   * @param {{ type: "api_token" | "oauth", token: string } | { type: "api_key", key: string, email: string }} credentials
   * @param {ReadonlyArray<number>} pauses  milliseconds before each repetition of a read
   */
  constructor(base, credentials, pauses = PAUSES) {
    if (!/^https?:\/\//.test(base) || !URL.canParse(base))
      throw new DeployError(
        `CLOUDFLARE_API_BASE_URL ${base} is not an http or https address.`,
        `Unset it, or set ${API_BASE}.`,
      )
    // A header can't contain a space or a line break.
    if (credentials.token !== undefined && !/^[\x21-\x7e]+$/.test(credentials.token)) throw invalidToken()
    this.base = base.replace(/\/+$/, "")
    this.credentials = credentials
    this.pauses = pauses
  }

  async #send(method, path, query, body) {
    const search = new URLSearchParams(query).toString()
    const answer = await fetch(`${this.base}${path}${search && `?${search}`}`, {
      method,
      headers: {
        ...authorization(this.credentials),
        "user-agent": "perch-deploy",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(LIMIT_MS),
    })
    const text = await answer.text()
    try {
      return { status: answer.status, json: JSON.parse(text) }
    } catch {
      return { status: answer.status, json: { success: false, errors: [] } }
    }
  }

  /** Sends a request and returns the answer; reads that failed temporarily are retried. */
  async #answer(method, path, query, body) {
    const pauses = method === "GET" ? this.pauses : []
    for (let tries = 0; ; tries += 1) {
      const mayRetry = tries < pauses.length
      const answer = await this.#send(method, path, query, body).catch((error) => {
        if (!mayRetry) throw unreachable(this.base, error.cause?.code ?? error.cause?.message ?? error.name)
      })
      const isTemporary = answer === undefined || answer.status === 429 || answer.status >= 500
      if (!isTemporary || !mayRetry) return answer
      await delay(pauses[tries])
    }
  }

  /**
   * Sends a request and returns its `result`; `undefined` when the API answered with one of the codes in `absent`.
   * @param {string} method
   * @param {string} path
   * @param {{ query?: Record<string, string>, body?: unknown, absent?: ReadonlyArray<number> }} options
   */
  async call(method, path, { query = {}, body, absent = [] } = {}) {
    const { status, json } = await this.#answer(method, path, query, body)
    if (json.success === true) return json.result
    const { code, message } = json.errors?.[0] ?? {}
    if (absent.includes(code)) return undefined
    throw apiError({ method, path, status, code, message, oauth: this.credentials.type === "oauth" })
  }

  /** All items of a paged list. */
  async list(path, query = {}) {
    const items = []
    for (let page = 1; ; page += 1) {
      const next = await this.call("GET", path, { query: { ...query, page: String(page), per_page: String(PER_PAGE) } })
      items.push(...next)
      if (next.length < PER_PAGE) return items
    }
  }
}
