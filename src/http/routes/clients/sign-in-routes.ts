// The routes that sign the console in on the machine that Perch runs on: the root key creates a one-time code, which is in the
// fragment of the address that `npm start` prints; the page exchanges it for a key of its own.
// Invariants: both routes work only where `npm start` listens on loopback; a code is exchanged for one key; that key is not
// the root key, expires, and is in the list of keys. No address that is sent or logged contains the code or the key.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import { ROOT, SCOPES } from "../../../schemas/access.ts"
import type { Env } from "../../../schemas/env.ts"
import { type CodeOutcome, SIGN_IN_OBJECT } from "../../../schemas/limits.ts"
import { insertApiKey, newKeyInfo } from "../../../store/api-keys.ts"
import { insertAudit } from "../../../store/audit.ts"
import { hashApiKey, makeApiKey } from "../../auth/api-key.ts"
import { ROOT_TENANT } from "../../auth/auth.ts"
import { fromOwnPage, namesLoopback, signsInWithCodes } from "../../auth/own-page.ts"
import { contract } from "../../contract/contract.ts"
import { ApiError, fromStore, unauthenticated } from "../../errors/errors.ts"
import { type App, handle, json } from "../../handle.ts"
import { fromObject } from "../../object-call.ts"

/** How long the console's key is valid: a working day. */
const KEY_LIVES_MS = 12 * 3_600_000
const CODE_BYTES = 24
const NOT_STORED = { "cache-control": "no-store" }
const AGAIN = "`npm run signin` prints a new one."

const REFUSALS: Readonly<Record<Exclude<CodeOutcome, "accepted">, string>> = {
  used: `The sign-in code was used already. ${AGAIN}`,
  expired: `The sign-in code has expired. ${AGAIN}`,
  blocked: `Too many wrong sign-in codes were sent, and this one is no longer accepted. ${AGAIN}`,
  wrong: `The sign-in code is not valid. ${AGAIN}`,
}

export const signInRoutes = (app: App): void => {
  handle(
    app,
    contract.createSignInCode,
    Effect.fnUntraced(function* (_, { env, principal, request }) {
      yield* onlyLocally(env)
      if (principal?.root !== true) return yield* forbidden("Only the root key can create sign-in codes.")
      if (!namesLoopback(request.headers)) return yield* forbidden(FOREIGN)
      const code = randomCode()
      const hash = yield* Effect.promise(() => hashApiKey(code))
      const { until } = yield* fromObject("server", () => env.TENANTS.getByName(SIGN_IN_OBJECT).offerCode({ hash }))
      const { protocol } = new URL(request.url)
      const url = `${protocol}//${request.headers.get("host")}/#signin=${code}`
      return json(201, { code, url, expires_at: new Date(until).toISOString() }, NOT_STORED)
    }),
  )

  handle(
    app,
    contract.signIn,
    Effect.fnUntraced(function* ({ body }, { creationId, env, request, signIn }) {
      yield* onlyLocally(env)
      if (!fromOwnPage(request.headers)) return yield* forbidden(FOREIGN)
      const codeHash = yield* Effect.promise(() => hashApiKey(body.code))
      const outcome = yield* fromObject("server", () =>
        env.TENANTS.getByName(SIGN_IN_OBJECT).takeCode({ hash: codeHash }),
      )
      if (outcome !== "accepted") {
        return yield* unauthenticated(REFUSALS[outcome])
      }
      const createdAt = yield* Clock.currentTimeMillis
      const { id, text } = makeApiKey(ROOT_TENANT)
      const hash = yield* Effect.promise(() => hashApiKey(text))
      const expiresAt = createdAt + KEY_LIVES_MS
      const key = { id, tenant: ROOT_TENANT, hash, label: "console", scopes: SCOPES, createdAt, expiresAt }
      yield* fromStore(insertApiKey(env.DB, key))
      const actor = { key: ROOT, ...(signIn.address === null ? {} : { address: signIn.address }) }
      const noted = { tenant: ROOT_TENANT, id: creationId, at: createdAt, session_id: null, who: actor, subject: id }
      yield* fromStore(insertAudit(env.DB, [{ ...noted, action: "key:created" }]))
      return json(201, { ...newKeyInfo(key), key: text }, NOT_STORED)
    }),
  )
}

const FOREIGN =
  "Signing in with a code is for the page of this server on this machine. Open the URL that `npm start` printed, or use a key."

const forbidden = (message: string) => Effect.fail(new ApiError({ type: "permission_error", message }))

const onlyLocally = (env: Env): Effect.Effect<void, ApiError> => {
  if (signsInWithCodes(env)) return Effect.void
  const message = "Sign-in codes are for a server that `npm start` runs on loopback. Use a key."
  return Effect.fail(new ApiError({ type: "not_found_error", message }))
}

/** 192 random bits in base64url. */
const randomCode = (): string => Base64Url.encode(crypto.getRandomValues(new Uint8Array(CODE_BYTES)))
