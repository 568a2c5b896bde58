// The routes of hook events, of those that could not be stored, and of the secrets that HTTP hooks are signed with.
// Invariant: a secret is shown once, when it is created; a hook event that is delivered again is stored once.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { newWebhookSecret } from "../../hooks/sign-webhook.ts"
import { DEFAULT_OVERLAP_SECONDS } from "../../schemas/api/hooks.ts"
import { redeliver } from "../../store/delivery/dead-letters.ts"
import { listDeadLetters, listHookEvents, markRedelivered } from "../../store/hook-events.ts"
import { listSecrets, rotateSecret } from "../../store/webhook-secrets.ts"
import { audited } from "../auth/audited.ts"
import { rootKey } from "../auth/auth.ts"
import { contract } from "../contract/contract.ts"
import { ApiError, fromStore } from "../errors/errors.ts"
import { type App, handle, json } from "../handle.ts"

const DEFAULT_LIMIT = 100

export const hookRoutes = (app: App): void => {
  handle(
    app,
    contract.listHookEvents,
    Effect.fnUntraced(function* ({ query }, { env, tenant }) {
      const page = { ...query, limit: query.limit ?? DEFAULT_LIMIT }
      return json(200, yield* fromStore(listHookEvents(env.DB, tenant, page)))
    }),
  )

  handle(
    app,
    contract.listDeadHookEvents,
    Effect.fnUntraced(function* ({ query }, { env, tenant }) {
      const page = { ...query, limit: query.limit ?? DEFAULT_LIMIT }
      return json(200, yield* fromStore(listDeadLetters(env.DB, tenant, page)))
    }),
  )

  handle(
    app,
    contract.redeliverHookEvent,
    Effect.fnUntraced(function* ({ params }, { env, tenant }) {
      const now = yield* Clock.currentTimeMillis
      const letter = yield* fromStore(markRedelivered(env.DB, tenant, params.id, now))
      if (letter === null) {
        return yield* new ApiError({ type: "not_found_error", message: "There is no dead hook event with this id" })
      }
      yield* fromStore(redeliver(env.HOOKS, tenant, letter))
      return json(202, letter)
    }),
  )

  handle(
    app,
    contract.rotateWebhookSecret,
    Effect.fnUntraced(function* ({ body }, caller) {
      const { env, tenant } = caller
      const owner = { db: env.DB, tenant, rootKey: yield* rootKey(env) }
      const fresh = { id: crypto.randomUUID(), text: newWebhookSecret(), at: yield* Clock.currentTimeMillis }
      const overlapMs = (body.overlap_seconds ?? DEFAULT_OVERLAP_SECONDS) * 1000
      const rotated = yield* fromStore(rotateSecret(owner, fresh, overlapMs))
      yield* audited(caller, "webhook:rotated", rotated.id)
      return json(201, { ...rotated, secret: fresh.text })
    }),
  )

  handle(
    app,
    contract.listWebhookSecrets,
    Effect.fnUntraced(function* (_input, { env, tenant }) {
      const now = yield* Clock.currentTimeMillis
      return json(200, { data: yield* fromStore(listSecrets({ db: env.DB, tenant }, now)) })
    }),
  )
}
