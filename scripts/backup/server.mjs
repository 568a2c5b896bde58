// The server's side of a backup: the routes that it needs, with retries.
// Invariant: a repeated request changes nothing; a refusal is an error with the server's own message.
import { setTimeout as delay } from "node:timers/promises"
import { fetchOf } from "../../src/client/cli/local-fetch.ts"

const PAUSES = [500, 2_000, 8_000, 20_000]
const LIMIT_MS = 120_000

export class Refused extends Error {
  constructor(status, type, message) {
    super(message)
    this.status = status
    this.type = type
  }
}

/** Undefined for a text that is not JSON: another program answered. */
const jsonOf = (text) => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The codes of errors that no repetition changes: of a certificate, and of a server that speaks another protocol. */
const LASTING = /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|ERR_TLS_|ERR_SSL_|EPROTO|HPE_)/

export class Server {
  /** `pauses`: milliseconds before each repetition of a request. */
  constructor(url, key, tenant, pauses = PAUSES) {
    this.pauses = pauses
    this.url = url.replace(/\/$/, "")
    this.fetch = fetchOf(url)
    this.key = key
    this.tenant = tenant
  }

  async #answer(method, target, body) {
    const answer = await this.fetch(`${this.url}${target}`, {
      method,
      headers: { authorization: `Bearer ${this.key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.timeout(LIMIT_MS),
    })
    const { ok, status, headers } = answer
    return { ok, status, retryAfter: Number(headers.get("retry-after") ?? 0), text: await answer.text() }
  }

  /** Returns the answer's JSON. Retries while the server is down or overloaded; throws `Refused` for what it refuses. */
  async call(method, route, query = {}, body = undefined) {
    const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== undefined))
    for (let tries = 0; ; tries += 1) {
      const answer = await this.#answer(method, `${route}?${search}`, body).catch((error) => error)
      const code = answer instanceof Error ? (answer.cause?.code ?? answer.message) : undefined
      const isTemporary = code === undefined ? answer.status === 429 || answer.status >= 500 : !LASTING.test(code)
      if (isTemporary && tries < this.pauses.length) {
        const seconds = code === undefined ? answer.retryAfter : 0
        await delay(Math.max(this.pauses[tries], Math.min(seconds, 60) * 1000))
        continue
      }
      if (code !== undefined) throw new Error(`no answer from ${this.url}: ${code}`)
      const json = jsonOf(answer.text)
      if (json !== undefined && answer.ok) return json
      if (json?.error === undefined && answer.status < 500)
        throw new Error(`what answers at ${this.url} is not Perch (${answer.status})`)
      if (json?.error === undefined) throw new Error(`no answer from ${this.url}: ${answer.status}`)
      throw new Refused(answer.status, json.error.type, json.error.message)
    }
  }

  /** A page of the tenant's sessions. */
  listSessions(limit, cursor) {
    return this.call("GET", "/v1/admin/export/sessions", { tenant: this.tenant, cursor, limit: String(limit) })
  }

  /** `{id, erased_at}` of every session of the tenant. */
  async *sessions() {
    for (let cursor; ;) {
      const page = await this.listSessions(500, cursor)
      yield* page.data
      if (page.next_cursor === null) return
      cursor = page.next_cursor
    }
  }

  page(id, cursor) {
    return this.call("GET", `/v1/admin/export/sessions/${id}`, { tenant: this.tenant, cursor })
  }

  restore(page) {
    return this.call(
      "POST",
      `/v1/admin/import/sessions/${page.session_id}`,
      { tenant: this.tenant },
      JSON.stringify(page),
    )
  }

  /** The pages of a session, from the first. Throws `Refused` (409) if the session changed meanwhile. */
  async *pages(id) {
    let cursor
    do {
      const page = await this.page(id, cursor)
      yield page
      cursor = page.next_cursor ?? undefined
    } while (cursor !== undefined)
  }
}

/** Runs `work` for each item, a few in parallel; returns those that failed. */
export const forEach = async (items, concurrency, work) => {
  const failed = []
  const waiting = items[Symbol.asyncIterator]?.() ?? items[Symbol.iterator]()
  const worker = async () => {
    for (let next = await waiting.next(); !next.done; next = await waiting.next()) {
      await work(next.value).catch((error) => failed.push({ id: next.value.id, message: error.message }))
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  return failed
}
