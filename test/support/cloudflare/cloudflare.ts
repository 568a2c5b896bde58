// Cloudflare's API on loopback, for the requests of wrangler 4.155 and `npm run deploy`: real HTTP, the real envelope, paths
// and error codes, a real SQLite for D1. An unknown request is answered 404 and recorded in `unknown`. A test may make one call
// fail, before its effect (503) or after it (the connection breaks without an answer).
import http from "node:http"
import type { AddressInfo } from "node:net"
import { ok, page, refuse, type ApiAnswer, type Route } from "./answer.ts"
import { D1_ROUTES } from "./d1-api.ts"
import { QUEUE_ROUTES } from "./queues-api.ts"
import { ACCOUNT, AccountState, TOKEN } from "./state.ts"
import { WORKER_ROUTES } from "./workers-api.ts"

const ROUTES: ReadonlyArray<Route> = [...D1_ROUTES, ...QUEUE_ROUTES, ...WORKER_ROUTES]
const BASE = "/client/v4"

/** The number of the call that fails, from 0, and how it fails. */
export type Failure = { readonly call: number; readonly how: "before" | "after" }

const bodyOf = async (request: http.IncomingMessage): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

export class FakeCloudflare {
  state = new AccountState()
  /** Method and path of every call so far. */
  calls: Array<string> = []
  unknown: Array<string> = []
  failure: Failure | undefined
  accounts: ReadonlyArray<{ id: string; name: string }> = [{ id: ACCOUNT, name: "North" }]
  readonly #server = http.createServer((request, response) => void this.#serve(request, response))

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${BASE}`
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve))
    return this
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  /** A new account, as on the first day. */
  reset(): void {
    this.state = new AccountState()
    this.calls = []
    this.unknown = []
    this.failure = undefined
    this.accounts = [{ id: ACCOUNT, name: "North" }]
  }

  async #serve(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const body = await bodyOf(request)
    const url = new URL(request.url ?? "/", "http://fake")
    const call = this.calls.length
    this.calls.push(`${request.method} ${url.pathname.slice(BASE.length)}`)
    const failing = this.failure?.call === call ? this.failure.how : undefined
    const answer =
      failing === "before" ? refuse(503, 10_001, "Service unavailable") : await this.#answer(request, url, body)
    if (failing === "after") return void request.socket.destroy()
    response.writeHead(answer.status, { "content-type": "application/json" })
    response.end(JSON.stringify(answer.body))
  }

  async #answer(request: http.IncomingMessage, url: URL, body: Buffer): Promise<ApiAnswer> {
    const path = url.pathname.slice(BASE.length)
    if (request.headers.authorization !== `Bearer ${TOKEN}`) {
      return path.endsWith("tokens/verify")
        ? refuse(401, 1_000, "Invalid API Token")
        : refuse(403, 9_109, "Invalid access token")
    }
    if (path === "/user/tokens/verify") return ok({ id: "t", status: "active" })
    if (path === "/accounts") {
      return this.state.permissions.includes("accounts") ? page(this.accounts, url.searchParams) : forbidden
    }
    const prefix = `/accounts/${ACCOUNT}`
    if (!path.startsWith(prefix)) return refuse(403, 10_000, "Authentication error")
    const below = path.slice(prefix.length)
    for (const [permission, method, pattern, answer] of ROUTES) {
      const parts = method === request.method ? pattern.exec(below) : null
      if (parts === null) continue
      if (!this.state.permissions.includes(permission)) return forbidden
      const type = request.headers["content-type"] ?? ""
      const { state } = this
      return answer({ method, path: below, query: url.searchParams, body, type, state }, ...parts.slice(1))
    }
    this.unknown.push(`${request.method} ${below}`)
    return refuse(404, 7_000, "No route for that URI")
  }
}

const forbidden = refuse(403, 10_000, "Authentication error")
