// The webhooks of a tenant and their deliveries, as rows: receives requests and outcomes, returns the deliveries that are due.
// Invariant: an event is one row for each webhook that subscribes to it, however often it is offered; a webhook receives only
// events since it was created or last enabled.
import { matchesPattern } from "../schemas/log/event-pattern.ts"
import type {
  CreatedWebhook,
  CreateWebhook,
  DeliveryQuery,
  DisabledReason,
  OfferedEvent,
  SealedSecret,
  UpdateWebhook,
  Webhook,
  WebhookDelivery,
} from "../schemas/api/webhooks.ts"
import type { AttemptOutcome } from "./attempt.ts"
import { type DeliveryRow, shownDelivery, shownWebhook, TABLES, type WebhookRow } from "./webhook-rows.ts"
import { rolledSecrets, activeSecrets } from "./active-secrets.ts"
import { DISABLE_AFTER_MS, GIVE_UP_AFTER_MS, nextAttempt } from "./schedule.ts"

type Value = string | number | null

/** The part of a Durable Object's SQL that the book uses. */
export interface BookSql {
  exec(query: string, ...bindings: ReadonlyArray<Value>): { toArray(): ReadonlyArray<Record<string, unknown>> }
}

/** The most pending deliveries of a webhook; while it has as many, deliveries of new events are stored as failed. */
const MAX_PENDING = 10_000
/** How long deliveries that have ended are listed and can be redelivered. */
const KEPT_MS = 3 * 24 * 3_600_000
/** After this many failed attempts in a row, only one delivery at a time is attempted, until one succeeds. */
const PROBING_AFTER = 5
/** The most attempts of one webhook in flight at once. */
const PARALLEL = 8

/** A delivery that is due, with what an attempt needs. `sealed` has the sealed secrets to sign with, the current one first. */
export interface DueDelivery {
  readonly webhook: string
  readonly id: string
  readonly url: string
  readonly body: string
  readonly sealed: ReadonlyArray<string>
}

export interface BookDeps {
  readonly sql: BookSql
  readonly now: () => number
  /** A random number from 0 to 1. */
  readonly random: () => number
}

export class WebhookBook {
  readonly #deps: BookDeps
  #made = false

  constructor(deps: BookDeps) {
    this.#deps = deps
    this.#made = this.#all("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'webhooks'").length > 0
  }

  get count(): number {
    return this.#made ? Number(this.#all("SELECT COUNT(*) AS count FROM webhooks")[0]?.["count"]) : 0
  }

  list(): ReadonlyArray<Webhook> {
    return this.#webhooks().map((row) => this.#shown(row))
  }

  read(id: string): Webhook | undefined {
    const row = this.#webhook(id)
    return row === undefined ? undefined : this.#shown(row)
  }

  create(
    id: string,
    { url, events, description = "", enabled = true }: CreateWebhook,
    { sealed, fingerprint }: SealedSecret & { readonly fingerprint: string },
  ): CreatedWebhook {
    if (!this.#made) for (const table of TABLES) this.#run(table)
    this.#made = true
    const now = this.#deps.now()
    this.#run(
      `INSERT INTO webhooks (id, url, events, description, disabled_reason, created_at, updated_at, since, fingerprint, sealed)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [id, url, JSON.stringify(events), description, enabled ? null : "request", now, now, now, fingerprint, sealed],
    )
    return { webhook: this.read(id)!, sealed, created: true } // the row was inserted just now
  }

  /** An existing webhook, with the fingerprint of the request that created it. */
  made(id: string): (CreatedWebhook & { readonly fingerprint: string }) | undefined {
    const row = this.#webhook(id)
    if (row === undefined) return undefined
    return { webhook: this.#shown(row), sealed: row.sealed, fingerprint: row.fingerprint, created: false }
  }

  update(id: string, change: UpdateWebhook): Webhook | undefined {
    const row = this.#webhook(id)
    if (row === undefined) return undefined
    const now = this.#deps.now()
    // `create` and `update` wrote the list.
    const { url = row.url, events = JSON.parse(row.events) as ReadonlyArray<string>, description } = change
    this.#run("UPDATE webhooks SET url = ?, events = ?, description = ?, updated_at = ? WHERE id = ?", [
      url,
      JSON.stringify(events),
      description ?? row.description,
      now,
      id,
    ])
    if (change.enabled === true && row.disabled_reason !== null) {
      const on = "disabled_reason = NULL, since = ?, failing_since = NULL, failures = 0"
      this.#run(`UPDATE webhooks SET ${on} WHERE id = ?`, [now, id])
    }
    if (change.enabled === false) this.#disable(id, "request")
    return this.read(id)
  }

  remove(id: string): boolean {
    if (this.#webhook(id) === undefined) return false
    this.#run("DELETE FROM deliveries WHERE webhook_id = ?", [id])
    this.#run("DELETE FROM webhooks WHERE id = ?", [id])
    return true
  }

  rollSecret(id: string, sealed: string, overlapMs: number): Webhook | undefined {
    const row = this.#webhook(id)
    if (row === undefined) return undefined
    const now = this.#deps.now()
    const previous = rolledSecrets(row, now, overlapMs)
    this.#run("UPDATE webhooks SET sealed = ?, previous = ?, updated_at = ? WHERE id = ?", [sealed, previous, now, id])
    return this.read(id)
  }

  /** The patterns of all enabled webhooks. */
  patterns(): ReadonlyArray<string> {
    return [...new Set(this.#on().flatMap(({ patterns }) => patterns))]
  }

  /** Stores the events for the webhooks that subscribe to them; returns the number of new deliveries. */
  offer(events: ReadonlyArray<OfferedEvent>): number {
    const on = this.#on()
    let deliveries = 0
    for (const { row, patterns } of on) {
      let pending = this.#pending(row.id)
      for (const event of events) {
        if (event.at < row.since || !patterns.some((pattern) => matchesPattern(pattern, event.type))) continue
        const full = pending >= MAX_PENDING
        if (this.#insert(row.id, event, full)) {
          deliveries += 1
          pending += full ? 0 : 1
        }
      }
    }
    return deliveries
  }

  /** Stores one event for one webhook, whatever its patterns. */
  add(webhook: string, event: Omit<OfferedEvent, "session_id" | "seq">): WebhookDelivery | undefined {
    if (this.#webhook(webhook) === undefined) return undefined
    this.#insert(webhook, { ...event, session_id: null, seq: null }, false)
    return this.delivery(webhook, event.id)
  }

  /** Removes the deliveries of a session. */
  forget(session: string): void {
    if (this.#made) this.#run("DELETE FROM deliveries WHERE session_id = ?", [session])
  }

  delivery(webhook: string, id: string): WebhookDelivery | undefined {
    const row = this.#made
      ? this.#all<DeliveryRow>("SELECT * FROM deliveries WHERE webhook_id = ? AND id = ?", [webhook, id])[0]
      : undefined
    return row === undefined ? undefined : shownDelivery(row)
  }

  /** A page of deliveries, the newest first; `before` is the time and id of the last delivery of the previous page. */
  deliveries(
    webhook: string,
    { state, limit }: DeliveryQuery,
    before: readonly [at: number, id: string] | undefined,
  ): ReadonlyArray<WebhookDelivery> {
    const [where, values] =
      before === undefined ? ["", []] : ["AND (created_at, id) < (?, ?)", [before[0], before[1]] as const]
    const rows = this.#all<DeliveryRow>(
      `SELECT * FROM deliveries WHERE webhook_id = ? ${state === undefined ? "" : "AND state = ?"} ${where}
        ORDER BY created_at DESC, id DESC LIMIT ?`,
      [webhook, ...(state === undefined ? [] : [state]), ...values, limit],
    )
    return rows.map(shownDelivery)
  }

  /** Makes a delivery due now, with the schedule of a new one. */
  redeliver(webhook: string, id: string): WebhookDelivery | undefined {
    const now = this.#deps.now()
    this.#run(
      "UPDATE deliveries SET state = 'pending', tries = 0, offered_at = ?, next_attempt_at = ? WHERE webhook_id = ? AND id = ?",
      [now, now, webhook, id],
    )
    return this.delivery(webhook, id)
  }

  /** Deliveries to attempt now, except those in flight. `busy` returns the number of a webhook's attempts in flight. */
  due(inFlight: (webhook: string, id: string) => boolean, busy: (webhook: string) => number): Array<DueDelivery> {
    const now = this.#deps.now()
    return this.#on().flatMap(({ row }) => {
      const room = (row.failures >= PROBING_AFTER ? 1 : PARALLEL) - busy(row.id)
      if (room <= 0) return []
      const rows = this.#all<Pick<DeliveryRow, "id" | "body">>(
        `SELECT id, body FROM deliveries WHERE webhook_id = ? AND state = 'pending' AND next_attempt_at <= ?
          ORDER BY next_attempt_at LIMIT ?`,
        [row.id, now, PARALLEL * 2],
      )
      const sealed = activeSecrets(row, now)
      return rows
        .filter(({ id }) => !inFlight(row.id, id))
        .slice(0, room)
        .map(({ id, body }) => ({ webhook: row.id, id, url: row.url, body, sealed }))
    })
  }

  /** The earliest due time after `after` of a pending delivery, in milliseconds since 1970; null when there is none. */
  nextDue(after = 0): number | null {
    const times = this.#on().flatMap(({ row }) => {
      const [first] = this.#all(
        "SELECT MIN(next_attempt_at) AS at FROM deliveries WHERE webhook_id = ? AND state = 'pending' AND next_attempt_at > ?",
        [row.id, after],
      )
      return typeof first?.["at"] === "number" ? [first["at"]] : []
    })
    return times.length === 0 ? null : Math.min(...times)
  }

  /** Records the outcome of an attempt: the delivery's state and next attempt, and the webhook's health. */
  attempted(webhook: string, id: string, { delivered, status, error, retryAfterMs }: AttemptOutcome): void {
    const row = this.#webhook(webhook)
    const [delivery] = this.#made
      ? this.#all("SELECT tries, offered_at FROM deliveries WHERE webhook_id = ? AND id = ?", [webhook, id])
      : []
    // The webhook or the delivery was removed during the attempt.
    if (row === undefined || delivery === undefined) return
    const now = this.#deps.now()
    const tries = Number(delivery["tries"]) + 1
    const createdAt = Number(delivery["offered_at"])
    // A webhook that was disabled during the attempt gets no other one.
    const isOver = delivered || row.disabled_reason !== null
    const next = isOver
      ? null
      : nextAttempt({ attempts: tries, createdAt, now, retryAfterMs, random: this.#deps.random() })
    this.#run(
      `UPDATE deliveries SET state = ?, attempts = attempts + 1, tries = ?, last_attempt_at = ?, next_attempt_at = ?,
        last_status = ?, last_error = ? WHERE webhook_id = ? AND id = ?`,
      [delivered ? "delivered" : next === null ? "failed" : "pending", tries, now, next, status, error, webhook, id],
    )
    if (delivered) {
      const well = "failing_since = NULL, failures = 0, last_success_at = ?"
      this.#run(`UPDATE webhooks SET ${well} WHERE id = ?`, [now, webhook])
      return
    }
    const since = row.failing_since ?? now
    this.#run("UPDATE webhooks SET failing_since = ?, failures = failures + 1 WHERE id = ?", [since, webhook])
    if (status === 410) this.#disable(webhook, "gone")
    else if (now - since >= DISABLE_AFTER_MS) this.#disable(webhook, "failing")
  }

  /** True when there are deliveries in any state. */
  get hasDeliveries(): boolean {
    return this.#made && this.#all("SELECT 1 FROM deliveries LIMIT 1").length > 0
  }

  /** Gives up pending deliveries after a day, and removes ended ones after three days. */
  tidy(): void {
    if (!this.#made) return
    const now = this.#deps.now()
    this.#run(
      `UPDATE deliveries SET state = 'failed', next_attempt_at = NULL, last_error = coalesce(last_error, 'It was not attempted in time.')
        WHERE state = 'pending' AND offered_at < ?`,
      [now - GIVE_UP_AFTER_MS],
    )
    this.#run("DELETE FROM deliveries WHERE state <> 'pending' AND offered_at < ?", [now - KEPT_MS])
  }

  #disable(id: string, reason: DisabledReason): void {
    this.#run("UPDATE webhooks SET disabled_reason = coalesce(disabled_reason, ?) WHERE id = ?", [reason, id])
    this.#run(
      `UPDATE deliveries SET state = 'failed', next_attempt_at = NULL, last_error = coalesce(last_error, 'The webhook was disabled.')
        WHERE webhook_id = ? AND state = 'pending'`,
      [id],
    )
  }

  #insert(
    webhook: string,
    event: Omit<OfferedEvent, "session_id" | "seq"> & Pick<DeliveryRow, "session_id" | "seq">,
    full: boolean,
  ): boolean {
    const { id, type, session_id, seq, body } = event
    const known = this.#all("SELECT 1 FROM deliveries WHERE webhook_id = ? AND id = ?", [webhook, id]).length > 0
    if (known) return false
    const now = this.#deps.now()
    const ends = full ? ["failed", null, `${MAX_PENDING} deliveries are pending already.`] : ["pending", now, null]
    this.#run(
      `INSERT INTO deliveries (webhook_id, id, type, session_id, seq, body, created_at, offered_at, state, next_attempt_at, last_error)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [webhook, id, type, session_id, seq, body, now, now, ...ends],
    )
    return true
  }

  #on(): ReadonlyArray<{ readonly row: WebhookRow; readonly patterns: ReadonlyArray<string> }> {
    return this.#webhooks().flatMap((row) =>
      // `create` and `update` wrote the list.
      row.disabled_reason === null ? [{ row, patterns: JSON.parse(row.events) as ReadonlyArray<string> }] : [],
    )
  }

  #webhooks(): ReadonlyArray<WebhookRow> {
    return this.#made ? this.#all<WebhookRow>("SELECT * FROM webhooks ORDER BY created_at, id") : []
  }

  #webhook(id: string): WebhookRow | undefined {
    return this.#webhooks().find((row) => row.id === id)
  }

  #pending(webhook: string): number {
    const [row] = this.#all("SELECT COUNT(*) AS count FROM deliveries WHERE webhook_id = ? AND state = 'pending'", [
      webhook,
    ])
    return Number(row?.["count"])
  }

  #shown(row: WebhookRow): Webhook {
    return shownWebhook(row, this.#pending(row.id))
  }

  #run(query: string, bindings: ReadonlyArray<Value> = []): void {
    this.#deps.sql.exec(query, ...bindings)
  }

  /** The rows of a query; `Row` describes the columns that it selects. */
  #all<Row = Record<string, unknown>>(query: string, bindings: ReadonlyArray<Value> = []): ReadonlyArray<Row> {
    // SQLite returns the columns that the query names, and the tables are written by this class alone.
    return this.#deps.sql.exec(query, ...bindings).toArray() as unknown as ReadonlyArray<Row>
  }
}
