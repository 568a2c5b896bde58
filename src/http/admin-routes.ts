// The routes of the root key: tenants' API keys.
// Invariant: a key is shown once, when it is made.
import { Clock, Effect } from "effect"
import { insertApiKey, listApiKeys, revokeApiKey } from "../store/api-keys.ts"
import { hashApiKey, makeApiKey } from "./api-key.ts"
import { forgetApiKey, ROOT_TENANT } from "./auth.ts"
import { contract } from "./contract.ts"
import { ApiError, fromStore, invalidRequest } from "./errors.ts"
import { type App, handle, json } from "./handle.ts"

export const adminRoutes = (app: App): void => {
  handle(
    app,
    contract.createKey,
    Effect.fnUntraced(function* ({ body }, { env }) {
      if (body.tenant === ROOT_TENANT) {
        return yield* invalidRequest("tenant: `root` is the root key's own tenant", "tenant")
      }
      const createdAt = yield* Clock.currentTimeMillis
      const { id, tenant, text } = makeApiKey(body.tenant)
      const hash = yield* Effect.promise(() => hashApiKey(text))
      const label = body.label ?? null
      yield* fromStore(insertApiKey(env.DB, { id, tenant, hash, label, createdAt }))
      return json(201, { id, tenant, label, created_at: new Date(createdAt).toISOString(), key: text })
    }),
  )

  handle(
    app,
    contract.listKeys,
    Effect.fnUntraced(function* ({ query }, { env }) {
      return json(200, yield* fromStore(listApiKeys(env.DB, { ...query, limit: query.limit ?? 100 })))
    }),
  )

  handle(
    app,
    contract.revokeKey,
    Effect.fnUntraced(function* ({ params }, { env }) {
      const now = yield* Clock.currentTimeMillis
      const known = yield* fromStore(revokeApiKey(env.DB, params.key_id, now))
      forgetApiKey(params.key_id)
      return known
        ? new Response(null, { status: 204 })
        : yield* new ApiError({ type: "not_found_error", message: "There is no API key with this id" })
    }),
  )
}
