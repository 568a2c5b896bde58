// The state of a Cloudflare account, as far as a deployment of Perch uses it.
import { DatabaseSync } from "node:sqlite"

export type Consumer = {
  consumer_id: string
  type: "worker"
  script: string
  settings: unknown
  dead_letter_queue?: string
}
export type Queue = { queue_id: string; queue_name: string; consumers: Array<Consumer> }
export type Database = { uuid: string; name: string; sql: DatabaseSync }
export type Binding = {
  name: string
  type: string
  text?: string
  class_name?: string
  id?: string
  queue_name?: string
}
export type Version = { id: string; bindings: Array<Binding>; assets: Record<string, string>; tag: string | undefined }
export type Worker = { name: string; versions: Array<Version>; secrets: Map<string, string>; onWorkersDev: boolean }

export const ACCOUNT = "0123456789abcdef0123456789abcdef"
export const TOKEN = "a-token-of-the-fake-account"

/** A token's rights: the permission groups that the fake checks. */
export type Permission = "accounts" | "d1" | "queues" | "workers"
export const EVERYTHING: ReadonlyArray<Permission> = ["accounts", "d1", "queues", "workers"]

export class AccountState {
  subdomain: string | undefined = "north"
  readonly databases: Array<Database> = []
  readonly queues: Array<Queue> = []
  readonly workers = new Map<string, Worker>()
  /** Names that are taken by other accounts. */
  readonly takenSubdomains: ReadonlySet<string> = new Set(["taken"])
  permissions: ReadonlyArray<Permission> = EVERYTHING
  plan: "paid" | "free" | "without-queues" = "paid"
  databaseLimit = 10
  #ids = 0

  /** A new id, in the format of D1 and of versions. */
  id(): string {
    this.#ids += 1
    return `00000000-0000-4000-8000-${String(this.#ids).padStart(12, "0")}`
  }

  database(name: string): Database | undefined {
    return this.databases.find((database) => database.name === name)
  }

  addDatabase(name: string): Database {
    const database = { uuid: this.id(), name, sql: new DatabaseSync(":memory:") }
    this.databases.push(database)
    return database
  }

  addQueue(name: string): Queue {
    const queue = { queue_id: this.id().replaceAll("-", ""), queue_name: name, consumers: [] }
    this.queues.push(queue)
    return queue
  }

  addWorker(name: string, bindings: Array<Binding>): Worker {
    const version = { id: this.id(), bindings, assets: {}, tag: undefined }
    const worker = { name, versions: [version], secrets: new Map<string, string>(), onWorkersDev: true }
    this.workers.set(name, worker)
    return worker
  }

  /** Everything that a deployment determines, without ids that differ between runs and without versions of the same code. */
  summary() {
    return {
      subdomain: this.subdomain,
      databases: this.databases.map(({ name, sql }) => ({
        name,
        tables: sql
          .prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
          .all()
          .map((row) => row["name"]),
      })),
      queues: this.queues.map(({ queue_name, consumers }) => ({
        queue_name,
        consumers: consumers.map(({ script, dead_letter_queue }) => ({ script, dead_letter_queue })),
      })),
      workers: Array.from(this.workers.values(), ({ name, secrets, onWorkersDev, versions }) => ({
        name,
        secrets: [...secrets.keys()].toSorted(),
        onWorkersDev,
        bindings: versions
          .at(-1)
          ?.bindings.map((binding) => `${binding.type} ${binding.name}`)
          .toSorted(),
      })),
    }
  }
}
