// Replaces scripts/deploy/wrangler.mjs, because starting wrangler for every case would take minutes: it sends the same requests
// to the API, over HTTP, in wrangler 4.155's order. test/behaviour/deploy runs wrangler itself against the fake.
import fs from "node:fs"
import path from "node:path"
import { apiError, wranglerError } from "../../../scripts/deploy/errors.mjs"
import type { FakeCloudflare } from "./cloudflare.ts"
import { ACCOUNT, TOKEN } from "./state.ts"

type Result = Record<string, unknown> & Array<Record<string, unknown>>

const first = (text: string, pattern: RegExp): string => pattern.exec(text)?.[1] ?? ""

export class WranglerDouble {
  readonly #cloudflare: FakeCloudflare
  readonly #root: string
  /** The token in the credentials. */
  token = TOKEN

  constructor(cloudflare: FakeCloudflare, root: string) {
    this.#cloudflare = cloudflare
    this.#root = root
  }

  async credentials() {
    return { type: "api_token" as const, token: this.token }
  }

  use(): void {}

  async #call(method: string, below: string, body?: unknown): Promise<Result | undefined> {
    const form = body instanceof FormData
    const answer = await fetch(`${this.#cloudflare.url}/accounts/${ACCOUNT}${below}`, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(body === undefined || form ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: form ? body : JSON.stringify(body) }),
    }).catch(() => {
      throw wranglerError("deploy", "[ERROR] fetch failed", false)
    })
    const { success, result, errors } = (await answer.json()) as {
      success: boolean
      result: Result
      errors: Array<{ code: number; message: string }>
    }
    if (success) return result
    if (errors[0]?.code === 10_007) return undefined
    throw apiError({ method, path: `/accounts/${ACCOUNT}${below}`, status: answer.status, ...errors[0] })
  }

  #config(file: string): string {
    return fs.readFileSync(path.join(this.#root, file), "utf8")
  }

  async migrate(config: string): Promise<void> {
    const id = first(this.#config(config), /^database_id = "(.*)"$/m)
    const query = (sql: string) => this.#call("POST", `/d1/database/${id}/query`, { sql })
    await query("CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE)")
    const applied = JSON.stringify(await query("SELECT * FROM d1_migrations ORDER BY id"))
    for (const name of fs.readdirSync(path.join(this.#root, "migrations")).toSorted()) {
      if (applied.includes(name)) continue
      const sql = fs.readFileSync(path.join(this.#root, "migrations", name), "utf8")
      await query(`${sql}\nINSERT INTO d1_migrations (name) VALUES ('${name}');`)
    }
  }

  async deploy(config: string, secretsFile: string | undefined): Promise<void> {
    const text = this.#config(config)
    const name = first(text, /^name = "(.*)"$/m)
    const script = `/workers/scripts/${name}`
    await this.#call("GET", `/workers/services/${name}`)
    const secrets: Record<string, string> =
      secretsFile === undefined ? {} : JSON.parse(fs.readFileSync(secretsFile, "utf8"))
    const metadata = {
      main_module: "worker.js",
      keep_bindings: ["secret_text", "secret_key"],
      limits: text.includes("cpu_ms") ? { cpu_ms: 300_000 } : undefined,
      migrations: { new_tag: "v6" },
      bindings: [
        { name: "SESSIONS", type: "durable_object_namespace", class_name: "SessionObject" },
        { name: "DB", type: "d1", id: first(text, /^database_id = "(.*)"$/m) },
        { name: "HOOKS", type: "queue", queue_name: first(text, /^queue = "(.*)"$/m) },
        ...Object.entries(secrets).map(([secret, value]) => ({ name: secret, type: "secret_text", text: value })),
      ],
    }
    const form = new FormData()
    form.set("metadata", JSON.stringify(metadata))
    await this.#call("PUT", script, form)
    await this.#call("POST", `${script}/subdomain`, { enabled: true, previews_enabled: true })
    const consumers = /\[\[queues\.consumers\]\]\nqueue = "(.*)"\n[^[]*/g
    for (const [table, queue] of text.matchAll(consumers)) {
      const dead = /^dead_letter_queue = "(.*)"$/m.exec(table)?.[1]
      const [found] = (await this.#call("GET", `/queues?name=${queue}`)) ?? []
      const held = (found?.["consumers"] ?? []) as Array<{ consumer_id: string }>
      const below = `/queues/${String(found?.["queue_id"])}/consumers`
      const body = { type: "worker", script_name: name, settings: {}, dead_letter_queue: dead }
      if (held[0] === undefined) await this.#call("POST", below, body)
      else await this.#call("PUT", `${below}/${held[0].consumer_id}`, body)
    }
  }
}
