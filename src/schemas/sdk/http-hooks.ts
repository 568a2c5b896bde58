// Hooks that a session calls itself, over HTTP: which event, which matcher, where to.
// Invariant: shapes only; which addresses may be called is decided where the request is made.
import { Schema } from "effect"
import { HOOK_EVENTS, type HookEvent } from "./hooks.ts"

const opt = Schema.optionalKey

/** One address. The hook's input is sent as JSON by POST; the answer is a `HookJSONOutput`, or nothing. */
export const HttpHook = Schema.Struct({
  type: Schema.Literal("http"),
  url: Schema.String.check(Schema.isPattern(/^https?:\/\//), Schema.isMaxLength(2000)),
  headers: opt(
    Schema.Record(Schema.String.check(Schema.isMaxLength(100)), Schema.String.check(Schema.isMaxLength(4000))),
  ),
  /** Seconds. */
  timeout: opt(Schema.Finite.check(Schema.isBetween({ minimum: 0.1, maximum: 600 }))),
})
export type HttpHook = typeof HttpHook.Type

/** Hooks of one event that share a matcher. `timeout` is in seconds and holds for each of them. */
export const HttpHookMatcher = Schema.Struct({
  matcher: opt(Schema.String.check(Schema.isMaxLength(1000))),
  hooks: Schema.Array(HttpHook).check(Schema.isMinLength(1), Schema.isMaxLength(20)),
  timeout: opt(Schema.Finite.check(Schema.isBetween({ minimum: 0.1, maximum: 600 }))),
  onFailure: opt(Schema.Literals(["continue", "block"])),
})
export type HttpHookMatcher = typeof HttpHookMatcher.Type

const matchers = opt(Schema.Array(HttpHookMatcher).check(Schema.isMaxLength(50)))

/** `options.hooks`: matchers by event. */
export const HttpHookMatchers = Schema.Struct(
  // Every event of the table, each with the same field.
  Object.fromEntries(HOOK_EVENTS.map((event) => [event, matchers])) as Record<HookEvent, typeof matchers>,
)
export type HttpHookMatchers = typeof HttpHookMatchers.Type
