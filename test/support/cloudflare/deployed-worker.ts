// The answers of a Worker in the fake account: the routes that `npm run deploy` requests, answered from the Worker's secrets.
// test/e2e/deploy sends the same requests to a real server.
import http from "node:http"
import type { AddressInfo } from "node:net"
import type { FakeCloudflare } from "./cloudflare.ts"

export class DeployedWorker {
  readonly #server: http.Server
  /** The checks of `/readyz` that fail. */
  failing: ReadonlyArray<string> = []
  /** Bindings that `/healthz` reports as missing. */
  unbound: ReadonlyArray<string> = []
  /** The last migration of the deployed code. */
  migration: string | undefined = undefined
  /** The number of further requests that are answered as if the hostname did not exist yet. */
  missing = 0

  constructor(cloudflare: FakeCloudflare, name: string) {
    this.#server = http.createServer((request, response) => {
      const [status, body] = this.#answer(cloudflare, name, request.url ?? "/", request.headers.authorization)
      response.writeHead(status, { "content-type": "application/json" })
      response.end(JSON.stringify(body))
    })
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve))
    return this
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #answer(cloudflare: FakeCloudflare, name: string, url: string, authorization: string | undefined): [number, unknown] {
    const worker = cloudflare.state.workers.get(name)
    if (worker === undefined || this.missing > 0) {
      this.missing -= 1
      return [404, { error: "There is nothing here yet" }]
    }
    if (url === "/healthz") {
      const versions = { migration: this.migration }
      return [200, { status: "ok", versions, bindings: { ok: this.unbound.length === 0, missing: this.unbound } }]
    }
    const rootKey = worker.secrets.get("PERCH_ROOT_KEY")
    if (rootKey === undefined) return [503, { error: { type: "api_error" } }]
    if (authorization !== `Bearer ${rootKey}`) return [401, { error: { type: "authentication_error" } }]
    if (url !== "/readyz") return [200, { data: [] }]
    if (this.failing.length > 0) {
      const issues = this.failing.map((field) => ({ field, message: `${field} failed after 2 ms` }))
      return [503, { error: { type: "service_unavailable_error", issues } }]
    }
    const checks = Object.fromEntries(["d1", "queue"].map((check) => [check, { ok: true, ms: 1 }]))
    const model = worker.secrets.has("ANTHROPIC_API_KEY") ? "live" : "offline"
    return [200, { status: "ready", checks: { ...checks, model } }]
  }
}
