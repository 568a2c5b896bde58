// Receives a decoded body; refuses it when its options hold HTTP hooks that may not be called.
// Invariant: every body passes here, so options have no way into a session around it.
import { Effect } from "effect"
import { type HookIssue, hookIssues, privateNames } from "../hooks/http-hook-rules.ts"
import { hookFetchSettings } from "../net/guarded-fetch.ts"
import type { Env } from "../schemas/env.ts"
import type { HttpHookMatchers } from "../schemas/sdk/http-hooks.ts"
import { type ApiError, invalidRequest } from "./errors.ts"

const MAX_ISSUES = 5

export const checkHooks = Effect.fnUntraced(function* (body: unknown, env: Env): Effect.fn.Return<void, ApiError> {
  const hooks = hooksOf(body)
  if (hooks === undefined) return
  const settings = hookFetchSettings(env)
  const written = hookIssues(hooks, settings)
  if (written.length > 0) return yield* refusal(written)
  const resolved = yield* privateNames(hooks, settings)
  if (resolved.length > 0) return yield* refusal(resolved)
})

/** `options.hooks`, whose shape the route's schema has checked. */
const hooksOf = (body: unknown): HttpHookMatchers | undefined => {
  if (typeof body !== "object" || body === null || !("options" in body)) return undefined
  const { options } = body
  if (typeof options !== "object" || options === null || !("hooks" in options)) return undefined
  return options.hooks as HttpHookMatchers
}

const refusal = (issues: ReadonlyArray<HookIssue>): ApiError => {
  const placed = issues.map(({ field, message }) => ({ field: `options.${field}`, message }))
  const shown = placed.slice(0, MAX_ISSUES).map(({ field, message }) => `${field} ${message}`)
  if (placed.length > MAX_ISSUES) shown.push(`and ${placed.length - MAX_ISSUES} more`)
  return invalidRequest(shown.join("; "), placed[0]?.field)
}
