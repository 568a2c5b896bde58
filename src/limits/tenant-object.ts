// The Durable Object of a tenant: counts its requests, turns and sessions across all isolates. The object named `address:…`
// counts the failed sign-ins of an address, the object named `sign-in:codes` has the one-time codes of a local server.
// Invariant: the ids of sessions, the tenant's own limits and hashes of codes are stored; all other counts are in memory.
import { DurableObject } from "cloudflare:workers"
import type { Env } from "../schemas/env.ts"
import { DEFAULT_LIMITS, type Limits, type LimitSettings, type TenantRpc } from "../schemas/limits.ts"
import { deploymentLimits } from "./deployment-limits.ts"
import { type Codes, SignInCodes } from "./sign-in-codes.ts"
import { type SessionIds, TenantBook } from "./tenant-book.ts"

const OWN = "limits"
const CODES = "codes"

export class TenantObject extends DurableObject<Env> implements TenantRpc {
  readonly #book: TenantBook
  #own: LimitSettings

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    // `setLimits` stored what the route decoded.
    this.#own = (ctx.storage.kv.get(OWN) as LimitSettings | undefined) ?? {}
    this.#book = new TenantBook(
      new StoredIds(ctx.storage.sql),
      () => this.#limits,
      () => Date.now(),
    )
  }

  get #limits(): Limits {
    return { ...(deploymentLimits(this.env) ?? DEFAULT_LIMITS), ...this.#own }
  }

  async lease({ key, wanted }: Parameters<TenantRpc["lease"]>[0]): ReturnType<TenantRpc["lease"]> {
    return this.#book.lease(key, wanted)
  }

  async beginTurn({ session, always }: Parameters<TenantRpc["beginTurn"]>[0]): ReturnType<TenantRpc["beginTurn"]> {
    return this.#book.beginTurn(session, always)
  }

  async endTurn({ session }: Parameters<TenantRpc["endTurn"]>[0]): Promise<void> {
    this.#book.endTurn(session)
  }

  async reportTurns(args: Parameters<TenantRpc["reportTurns"]>[0]): ReturnType<TenantRpc["reportTurns"]> {
    return this.#book.reportTurns(args.isolate, args.running)
  }

  async openSession(args: Parameters<TenantRpc["openSession"]>[0]): ReturnType<TenantRpc["openSession"]> {
    return this.#book.openSession(args.session, args.always)
  }

  async closeSession({ session }: Parameters<TenantRpc["closeSession"]>[0]): Promise<void> {
    this.#book.closeSession(session)
  }

  async sessions({ after, limit }: Parameters<TenantRpc["sessions"]>[0]): ReturnType<TenantRpc["sessions"]> {
    return this.#book.sessions(after, limit)
  }

  async limits(): ReturnType<TenantRpc["limits"]> {
    return { own: this.#own, limits: this.#limits, used: this.#book.use }
  }

  async setLimits(own: LimitSettings): ReturnType<TenantRpc["setLimits"]> {
    const { lane_turns: before } = this.#limits
    this.ctx.storage.kv.put(OWN, own)
    this.#own = own
    this.#book.restart()
    const { lane_turns: most } = this.#limits
    // A lane that misses this call reads its limit again by itself.
    if (most !== before)
      await this.env.LANES.getByName(this.ctx.id.name ?? "")
        .limitChanged(most)
        .catch(() => undefined)
    return this.limits()
  }

  async failedSignIns({ count }: Parameters<TenantRpc["failedSignIns"]>[0]): ReturnType<TenantRpc["failedSignIns"]> {
    return this.#book.failedSignIns(count)
  }

  get #codes(): SignInCodes {
    const { kv } = this.ctx.storage
    const stored = {
      // `write` stored what it was given.
      read: () => (kv.get(CODES) as Codes | undefined) ?? [],
      write: (codes: Codes) => kv.put(CODES, codes),
    }
    return new SignInCodes(stored, () => Date.now())
  }

  async offerCode({ hash }: Parameters<TenantRpc["offerCode"]>[0]): ReturnType<TenantRpc["offerCode"]> {
    return this.#codes.offer(hash)
  }

  async takeCode({ hash }: Parameters<TenantRpc["takeCode"]>[0]): ReturnType<TenantRpc["takeCode"]> {
    return this.#codes.take(hash)
  }
}

/** The table is created with the first id, so that an object that only counts writes nothing. */
class StoredIds implements SessionIds {
  readonly #sql: SqlStorage
  #made: boolean
  #count: number

  constructor(sql: SqlStorage) {
    this.#sql = sql
    const table = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'sessions'"
    this.#made = sql.exec(table).toArray().length > 0
    this.#count = this.#made ? sql.exec<{ count: number }>("SELECT COUNT(*) AS count FROM sessions").one().count : 0
  }

  get count(): number {
    return this.#count
  }

  has(id: string): boolean {
    return this.#made && this.#sql.exec("SELECT 1 FROM sessions WHERE id = ?", id).toArray().length > 0
  }

  page(after: string, limit: number): ReadonlyArray<string> {
    if (!this.#made) return []
    const rows = this.#sql.exec<{ id: string }>(
      "SELECT id FROM sessions WHERE id > ? ORDER BY id LIMIT ?",
      after,
      limit,
    )
    return rows.toArray().map(({ id }) => id)
  }

  add(id: string): void {
    if (!this.#made) this.#sql.exec("CREATE TABLE sessions (id TEXT PRIMARY KEY) WITHOUT ROWID")
    this.#made = true
    this.#sql.exec("INSERT INTO sessions (id) VALUES (?)", id)
    this.#count += 1
  }

  remove(id: string): void {
    if (!this.has(id)) return
    this.#sql.exec("DELETE FROM sessions WHERE id = ?", id)
    this.#count -= 1
  }
}
