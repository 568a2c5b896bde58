// The routes of a tenant's webhooks. Receives decoded requests; calls the tenant's webhook object.
// Invariant: a secret is shown once, when it is created, and leaves the Worker encrypted; an address that may not be called is
// refused before it is stored, and checked again at every delivery.
import * as Effect from "effect/Effect"
import { addressIssues, privateName } from "../../hooks/http-hook-rules.ts"
import { newWebhookSecret } from "../../hooks/sign-webhook.ts"
import { hookFetchSettings } from "../../net/guarded-fetch.ts"
import type { RpcResult } from "../../schemas/errors/rpc-error.ts"
import { DEFAULT_OVERLAP_SECONDS } from "../../schemas/api/hooks.ts"
import type { WebhookRpc } from "../../schemas/api/webhooks.ts"
import { seal, unseal } from "../../store/seal.ts"
import { patternIssue } from "../../webhooks/event-names.ts"
import { forgetPatterns } from "../../webhooks/patterns.ts"
import { audited } from "../auth/audited.ts"
import { rootKey } from "../auth/auth.ts"
import { uuidV8 } from "../../schemas/ids.ts"
import { contract } from "../contract/contract.ts"
import { type ApiError, invalidFields } from "../errors/errors.ts"
import { type App, type Caller, handle, json } from "../handle.ts"
import { callObject, fromObject } from "../object-call.ts"
import { hashOf, idempotencyKey, REPLAYED } from "../idempotency/request-name.ts"

const DEFAULT_LIMIT = 100

export const webhookRoutes = (app: App): void => {
  handle(
    app,
    contract.createWebhook,
    Effect.fnUntraced(function* ({ body }, caller) {
      const { secret, ...webhook } = body
      yield* checkEvents(webhook.events)
      yield* checkUrl(webhook.url, caller)
      const key = yield* idempotencyKey(caller)
      const id = key === null ? crypto.randomUUID() : yield* Effect.promise(() => uuidV8("webhook", caller.tenant, key))
      const hash = yield* hashOf("webhook", body)
      const make = (object: WebhookRpc, sealed: string) => object.create(id, webhook, { sealed, fingerprint: hash })
      const creation = yield* ask(caller, make, secret ?? newWebhookSecret())
      const root = yield* rootKey(caller.env)
      const text = yield* Effect.promise(() => unseal(root, caller.tenant, creation.sealed))
      if (creation.created) yield* audited(caller, "webhook:created", id)
      return json(201, { ...creation.webhook, secret: text }, creation.created ? {} : REPLAYED)
    }),
  )

  handle(
    app,
    contract.listWebhooks,
    Effect.fnUntraced(function* (_input, { env, tenant }) {
      return json(200, { data: yield* fromObject("webhook", () => env.WEBHOOKS.getByName(tenant).list()) })
    }),
  )

  handle(
    app,
    contract.getWebhook,
    Effect.fnUntraced(function* ({ params }, caller) {
      return json(200, yield* read(caller, (object) => object.read(params.webhook_id)))
    }),
  )

  handle(
    app,
    contract.updateWebhook,
    Effect.fnUntraced(function* ({ params, body }, caller) {
      if (body.events !== undefined) yield* checkEvents(body.events)
      if (body.url !== undefined) yield* checkUrl(body.url, caller)
      const changed = yield* change(caller, (object) => object.update(params.webhook_id, body))
      yield* audited(caller, "webhook:changed", params.webhook_id)
      return json(200, changed)
    }),
  )

  handle(
    app,
    contract.deleteWebhook,
    Effect.fnUntraced(function* ({ params }, caller) {
      yield* change(caller, (object) => object.remove(params.webhook_id))
      yield* audited(caller, "webhook:deleted", params.webhook_id)
      return new Response(null, { status: 204 })
    }),
  )

  handle(
    app,
    contract.rollSecretOfWebhook,
    Effect.fnUntraced(function* ({ params, body }, caller) {
      const text = body.secret ?? newWebhookSecret()
      const overlap = (body.overlap_seconds ?? DEFAULT_OVERLAP_SECONDS) * 1000
      const roll = (object: WebhookRpc, sealed: string) => object.rollSecret(params.webhook_id, { sealed }, overlap)
      const rolled = yield* ask(caller, roll, text)
      yield* audited(caller, "webhook:changed", params.webhook_id)
      return json(201, { ...rolled, secret: text })
    }),
  )

  handle(
    app,
    contract.testWebhook,
    Effect.fnUntraced(function* ({ params }, caller) {
      return json(202, yield* read(caller, (object) => object.test(params.webhook_id)))
    }),
  )

  handle(
    app,
    contract.listWebhookDeliveries,
    Effect.fnUntraced(function* ({ params, query }, caller) {
      const page = { ...query, limit: query.limit ?? DEFAULT_LIMIT }
      return json(200, yield* read(caller, (object) => object.deliveries(params.webhook_id, page)))
    }),
  )

  handle(
    app,
    contract.redeliverWebhookDelivery,
    Effect.fnUntraced(function* ({ params }, caller) {
      const { webhook_id, delivery_id } = params
      return json(202, yield* read(caller, (object) => object.redeliver(webhook_id, delivery_id)))
    }),
  )
}

type Call<A> = (object: WebhookRpc) => Promise<RpcResult<A>>

const read = <A>({ env, tenant }: Caller, call: Call<A>): Effect.Effect<A, ApiError> =>
  callObject("webhook", () => call(env.WEBHOOKS.getByName(tenant)))

/** A call that changes webhooks: afterwards the sessions of this isolate read their subscriptions again. */
const change = <A>(caller: Caller, call: Call<A>): Effect.Effect<A, ApiError> =>
  Effect.tap(read(caller, call), () => Effect.sync(() => forgetPatterns(caller.tenant)))

const ask = Effect.fnUntraced(function* <A>(
  caller: Caller,
  call: (object: WebhookRpc, sealed: string) => Promise<RpcResult<A>>,
  secret: string,
) {
  const key = yield* rootKey(caller.env)
  const sealed = yield* Effect.promise(() => seal(key, caller.tenant, secret))
  return yield* change(caller, (object) => call(object, sealed))
})

const checkEvents = (patterns: ReadonlyArray<string>): Effect.Effect<void, ApiError> => {
  const issues = patterns.flatMap((pattern, index) => {
    const issue = patternIssue(pattern)
    return issue === undefined ? [] : [{ field: `events[${index}]`, message: `events[${index}]: ${issue}` }]
  })
  return issues.length === 0 ? Effect.void : Effect.fail(invalidFields(issues))
}

const checkUrl = Effect.fnUntraced(function* (url: string, { env }: Caller): Effect.fn.Return<void, ApiError> {
  const settings = hookFetchSettings(env)
  const written = addressIssues("url", url, settings)
  const open = settings.resolver === null || settings.allowPrivate === true
  const issues = written.length > 0 || open ? written : yield* privateName("url", url, settings)
  if (issues.length > 0) {
    return yield* invalidFields(issues.map(({ field, message }) => ({ field, message: `${field} ${message}` })))
  }
})
