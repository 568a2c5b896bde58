// Receives the HTTP hooks of a request's options; returns the reasons why they can't be called, by field.
// Invariant: no issue repeats a header's value, or more of an address than its host.
import * as Effect from "effect/Effect"
import { type HookIssue, hookIssues, privateNames } from "../../hooks/http-hook-rules.ts"
import { hookFetchSettings } from "../../net/guarded-fetch.ts"
import type { Env } from "../../schemas/env.ts"
import type { RefusedField } from "../../schemas/errors/rpc-error.ts"
import type { HttpHookMatchers } from "../../schemas/sdk/hooks/http-hooks.ts"

/** The issues that are found without resolving host names. */
export const unresolvedHookIssues = (hooks: HttpHookMatchers, env: Env): ReadonlyArray<RefusedField> =>
  placed(hookIssues(hooks, hookFetchSettings(env)))

/** The issues of hooks whose host names resolve to private addresses. */
export const resolvedHookIssues = (hooks: HttpHookMatchers, env: Env): Effect.Effect<ReadonlyArray<RefusedField>> =>
  Effect.map(privateNames(hooks, hookFetchSettings(env)), placed)

const placed = (issues: ReadonlyArray<HookIssue>): ReadonlyArray<RefusedField> =>
  issues.map(({ field, message }) => ({ field: `options.${field}`, message: `options.${field} ${message}` }))
