// Provides the secrets with which a session's HTTP hooks are signed; reads them when the first hook is called.
// Invariant: without HTTP hooks nothing is read. A rotated secret is used within a minute; when a read fails, the secrets of
// the last one stay in use.
import * as Effect from "effect/Effect"
import { HookFailure } from "../../hooks/runner.ts"
import { newWebhookSecret } from "../../hooks/sign-webhook.ts"
import { signingSecrets } from "../../store/webhook-secrets.ts"

const FRESH_MS = 60_000

export interface WebhookSecretsDeps {
  readonly db: D1Database
  readonly tenant: string
  readonly rootKey: string | undefined
  readonly now: () => number
  readonly newUuid: () => string
}

/** An Effect that returns the secrets, the current one first. Fails without a root key, or when the first read fails. */
export const webhookSecrets = (deps: WebhookSecretsDeps): Effect.Effect<ReadonlyArray<string>, HookFailure> => {
  const { db, tenant, rootKey = "", now, newUuid } = deps
  let cached: { readonly secrets: ReadonlyArray<string>; readonly at: number } | null = null
  return Effect.suspend(() => {
    const at = now()
    if (cached !== null && at - cached.at < FRESH_MS) return Effect.succeed(cached.secrets)
    if (rootKey === "") return Effect.fail(unsigned)
    return signingSecrets({ db, tenant, rootKey }, { id: newUuid(), text: newWebhookSecret(), at }).pipe(
      Effect.tap((secrets) =>
        Effect.sync(() => {
          cached = { secrets, at }
        }),
      ),
      Effect.catch(() => (cached === null ? Effect.fail(unsigned) : Effect.succeed(cached.secrets))),
    )
  })
}

const unsigned = new HookFailure({
  kind: "threw",
  message:
    "The call of the hook could not be signed. If the server's root key has changed, create a new secret: POST /v1/webhooks/secret.",
})
