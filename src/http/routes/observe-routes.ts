// The routes for monitoring: `/healthz`, `/readyz` and the metrics.
// Invariant: a caller without a key sees only versions, missing bindings, and whether the server is ready; the latter is
// checked at most once in five seconds.
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { missingBindings } from "../../observe/bindings.ts"
import { CONTENT_TYPE, exposition } from "../../observe/exposition.ts"
import { metricsOf } from "../../observe/metrics.ts"
import { lagTotals } from "../../observe/outbox-lag.ts"
import { isolateStart } from "../../observe/request-counters.ts"
import type { Health } from "../../schemas/api/readiness.ts"
import { type Env, isOffline } from "../../schemas/env.ts"
import { COMPATIBILITY_DATE, LAST_MIGRATION, PERCH_VERSION } from "../../schemas/version.ts"
import { hasMigrations } from "../../store/applied-migrations.ts"
import { storeFailures } from "../../store/store-error.ts"
import { totals } from "../../store/totals.ts"
import { adminOf, tenantToRead } from "../auth/administrator.ts"
import { authenticate, presentsKey, rootKey } from "../auth/auth.ts"
import { unreadableSetting } from "../auth/unreadable-setting.ts"
import { contract } from "../contract/contract.ts"
import { ApiError } from "../errors/errors.ts"
import { type App, handle, json } from "../handle.ts"

const CHECK_MS = 2_000
const SAME_MS = 5_000
const RETRY_SECONDS = 5
/** The name of a session's object that no client can create, because ids of sessions are UUIDs. */
const NO_SESSION = "readyz/readyz"

interface Check {
  readonly ok: boolean
  readonly ms: number
}
type Checks = Readonly<
  Record<"d1" | "migrations" | "session_object" | "tenant_object" | "queue" | "root_key" | "settings", Check>
>

/** The last checks of this isolate, kept for SAME_MS, so that callers without a key can't cause more of them. */
const last = new WeakMap<Env, { readonly at: number; readonly checks: Checks }>()

export const observeRoutes = (app: App): void => {
  handle(app, contract.healthz, (_, { env }) => {
    const missing = missingBindings(env)
    const versions = {
      perch: PERCH_VERSION,
      compatibility_date: COMPATIBILITY_DATE,
      migration: LAST_MIGRATION,
      runtime: env.PERCH_LOCAL_RUNTIME ?? null,
    }
    const health: Health = { status: "ok", versions, bindings: { ok: missing.length === 0, missing } }
    return Effect.succeed(json(200, health))
  })

  handle(
    app,
    contract.readyz,
    Effect.fnUntraced(function* (_, { env, request, signIn }) {
      const isRoot = presentsKey(request.headers) ? (yield* authenticate(request.headers, signIn)).root : false
      const checks = yield* checksOf(env)
      const failed = Object.entries(checks).filter(([, { ok }]) => !ok)
      if (failed.length > 0) {
        const unreadable = unreadableSetting(env)
        const issues = failed.map(([field, { ms }]) => ({
          field,
          message: field === "settings" && unreadable !== null ? unreadable : `${field} failed after ${ms} ms`,
        }))
        return yield* new ApiError({
          type: "service_unavailable_error",
          message: `The server is not ready. ${isRoot ? "The issues show why." : "Send the root key to see why."}`,
          retry_after: RETRY_SECONDS,
          ...(isRoot ? { issues } : {}),
        })
      }
      const detail = isRoot ? { checks: { ...checks, model: isOffline(env) ? "offline" : "live" } } : {}
      return json(200, { status: "ready", ...detail })
    }),
  )

  handle(
    app,
    contract.metrics,
    Effect.fnUntraced(function* ({ query }, caller) {
      const { env } = caller
      const admin = yield* adminOf(caller)
      const tenant = (yield* tenantToRead(admin, query.tenant)) ?? null
      const before = yield* Clock.currentTimeMillis
      const stored = yield* Effect.exit(totals(env.DB, tenant))
      const now = yield* Clock.currentTimeMillis
      const metrics = metricsOf(Exit.isSuccess(stored) ? stored.value : null, {
        d1Seconds: (now - before) / 1000,
        now,
        isolate: { startedAt: isolateStart(now), lag: lagTotals(now), failures: storeFailures() },
      })
      const shown = admin.root && tenant === null ? metrics : metrics.filter(({ name }) => !name.includes("_isolate_"))
      return new Response(exposition(shown), { headers: { "content-type": CONTENT_TYPE } })
    }),
  )
}

const checksOf = Effect.fnUntraced(function* (env: Env) {
  const now = yield* Clock.currentTimeMillis
  const known = last.get(env)
  if (known !== undefined && known.at <= now && now - known.at < SAME_MS) return known.checks
  const [d1, migrations, session, tenant] = yield* Effect.all(
    [
      passes(() => env.DB.prepare("SELECT 1").first()),
      passes(async () => {
        if (!(await hasMigrations(env.DB))) throw new Error("D1 lacks a migration")
      }),
      passes(() => env.SESSIONS.getByName(NO_SESSION).info()),
      passes(() => env.TENANTS.getByName("readyz").limits()),
    ],
    { concurrency: "unbounded" },
  )
  const hasKey = Exit.isSuccess(yield* Effect.exit(rootKey(env)))
  const checks: Checks = {
    d1,
    migrations,
    session_object: session,
    tenant_object: tenant,
    // The binding is missing at run time if the configuration lacks it.
    queue: { ok: (env.HOOKS as Queue | undefined) !== undefined, ms: 0 },
    root_key: { ok: hasKey, ms: 0 },
    settings: { ok: unreadableSetting(env) === null, ms: 0 },
  }
  last.set(env, { at: now, checks })
  return checks
})

/** Whether a call succeeds within CHECK_MS, and how long it took; its value does not matter. */
const passes = (ask: () => Promise<unknown>): Effect.Effect<Check> =>
  Effect.tryPromise(ask).pipe(
    Effect.timeout(CHECK_MS),
    Effect.isSuccess,
    Effect.timed,
    Effect.map(([duration, ok]) => ({ ok, ms: Math.round(Duration.toMillis(duration)) })),
  )
