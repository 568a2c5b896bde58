// The Durable Object of a tenant's webhooks: takes the events that sessions offer and delivers them until each is
// delivered or given up.
// Invariant: an offered event is stored before the offer is answered; a stored event is delivered at least once, or listed
// as failed.
import { DurableObject } from "cloudflare:workers"
import { guardedFetch, hookFetchSettings } from "../net/guarded-fetch.ts"
import type { Env } from "../schemas/env.ts"
import { ok, OTHER_REQUEST, refused, type RpcResult } from "../schemas/errors/rpc-error.ts"
import {
  type CreatedWebhook,
  type DeliveryQuery,
  MAX_WEBHOOKS,
  type OfferedEvent,
  type SealedSecret,
  type UpdateWebhook,
  type Webhook,
  type WebhookDelivery,
  type WebhookRpc,
} from "../schemas/api/webhooks.ts"
import { unseal } from "../store/seal.ts"
import { decodeCursor, encodeCursor } from "./delivery-cursor.ts"
import { Deliverer } from "./deliverer.ts"
import { WebhookBook } from "./webhook-book.ts"
import { erasedEvent, webhookEvent } from "./webhook-event.ts"

type Created = Parameters<WebhookRpc["create"]>[1]
type Once = Parameters<WebhookRpc["create"]>[2]

export class WebhookObject extends DurableObject<Env> implements WebhookRpc {
  readonly #book: WebhookBook
  readonly #deliverer: Deliverer

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    const now = () => Date.now()
    const tenant = ctx.id.name ?? ""
    this.#book = new WebhookBook({ sql: ctx.storage.sql, now, random: () => Math.random() })
    this.#deliverer = new Deliverer({
      book: this.#book,
      fetch: guardedFetch(hookFetchSettings(env)),
      open: (sealed) => unseal(env.PERCH_ROOT_KEY ?? "", tenant, sealed),
      arm: (at) => void ctx.storage.setAlarm(at),
      later: (ms, work) => void setTimeout(work, ms),
      keepAlive: (work) => ctx.waitUntil(work),
      now,
    })
    // Resumes the deliveries that were in flight when the previous process ended.
    if (this.#book.hasDeliveries) this.#deliverer.pump()
  }

  override async alarm(): Promise<void> {
    this.#book.tidy()
    this.#deliverer.pump()
    await this.#deliverer.settled()
  }

  async create(id: string, webhook: Created, once: Once): Promise<RpcResult<CreatedWebhook>> {
    const known = this.#book.made(id)
    if (known !== undefined) {
      const { fingerprint, ...made } = known
      return fingerprint === once.fingerprint ? ok(made) : OTHER_REQUEST
    }
    if (this.#book.count >= MAX_WEBHOOKS) {
      return refused("conflict_error", `The tenant has ${MAX_WEBHOOKS} webhooks, and no more are taken. Delete one.`)
    }
    return ok(this.#book.create(id, webhook, once))
  }

  async list(): Promise<ReadonlyArray<Webhook>> {
    return this.#book.list()
  }

  async read(id: string): Promise<RpcResult<Webhook>> {
    return found(this.#book.read(id))
  }

  async update(id: string, change: UpdateWebhook): Promise<RpcResult<Webhook>> {
    return found(this.ctx.storage.transactionSync(() => this.#book.update(id, change)))
  }

  async remove(id: string): Promise<RpcResult<null>> {
    return found(this.ctx.storage.transactionSync(() => this.#book.remove(id)) ? null : undefined)
  }

  async rollSecret(id: string, { sealed }: SealedSecret, overlapMs: number): Promise<RpcResult<Webhook>> {
    return found(this.#book.rollSecret(id, sealed, overlapMs))
  }

  async test(id: string): Promise<RpcResult<WebhookDelivery>> {
    if (this.#book.read(id)?.enabled === false) return DISABLED
    const at = Date.now()
    const event = webhookEvent(`test_${crypto.randomUUID()}`, "webhook:test", at, { webhook_id: id })
    const added = this.#book.add(id, event)
    this.#deliverer.pump()
    return found(added)
  }

  async deliveries(id: string, query: DeliveryQuery): ReturnType<WebhookRpc["deliveries"]> {
    if (this.#book.read(id) === undefined) return NOT_FOUND
    const before = query.cursor === undefined ? undefined : decodeCursor(id, query.cursor)
    if (before === null)
      return refused("invalid_request_error", "cursor: must be the next_cursor of a page", { field: "cursor" })
    const rows = this.#book.deliveries(id, { ...query, limit: query.limit + 1 }, before)
    const data = rows.slice(0, query.limit)
    const last = rows.length > query.limit ? data.at(-1) : undefined
    return ok({ data, next_cursor: last === undefined ? null : encodeCursor(id, last) })
  }

  async redeliver(id: string, delivery: string): Promise<RpcResult<WebhookDelivery>> {
    const webhook = this.#book.read(id)
    if (webhook === undefined || this.#book.delivery(id, delivery) === undefined) return NOT_FOUND
    if (!webhook.enabled) return DISABLED
    const again = this.#book.redeliver(id, delivery)
    this.#deliverer.pump()
    return found(again)
  }

  async patterns(): Promise<ReadonlyArray<string>> {
    return this.#book.patterns()
  }

  async offer(events: ReadonlyArray<OfferedEvent>): Promise<void> {
    const deliveries = this.ctx.storage.transactionSync(() => this.#book.offer(events))
    if (deliveries > 0) this.#deliverer.pump()
  }

  async forget(session: string, at: number): Promise<void> {
    const deliveries = this.ctx.storage.transactionSync(() => {
      this.#book.forget(session)
      return this.#book.offer([erasedEvent(session, at)])
    })
    if (deliveries > 0) this.#deliverer.pump()
  }
}

const NOT_FOUND = refused("not_found_error", "There is no such webhook, or it has no such delivery")

const DISABLED = refused("conflict_error", "The webhook is disabled. Set `enabled` to true first.")

const found = <A>(value: A | undefined): RpcResult<A> => (value === undefined ? NOT_FOUND : ok(value))
