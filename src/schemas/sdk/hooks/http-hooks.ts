// Hooks that a session calls itself, over HTTP: their event, matcher and address.
// Invariant: shapes only; which addresses and headers are accepted is decided in hooks/http-hook-rules.ts.
import * as Schema from "effect/Schema"
import { HttpUrl } from "../../http-url.ts"
import { byEvent } from "./hooks.ts"

const opt = Schema.optionalKey

/**
 * What a failure of the hook means. The default is `block` (the failure counts as a refusal) for events whose hooks can refuse
 * something, and `continue` for all others. `ask` is for PreToolUse: a person is asked about the call.
 */
const OnFailure = Schema.Literals(["continue", "block", "ask"])

/** One address. The hook's input is sent as JSON by POST; the answer is a `HookJSONOutput`, or nothing. */
export const HttpHook = Schema.Struct({
  type: Schema.Literal("http"),
  url: HttpUrl,
  headers: opt(
    Schema.Record(
      Schema.String.check(Schema.isMaxLength(100)),
      Schema.String.check(Schema.isMaxLength(4000, { message: "Expected a value of at most 4000 characters" })),
    ).check(Schema.isMaxProperties(50)),
  ),
  /** The hook's timeout in seconds. */
  timeout: opt(Schema.Finite.check(Schema.isBetween({ minimum: 0.1, maximum: 600 }))),
  onFailure: opt(OnFailure),
})
export type HttpHook = typeof HttpHook.Type

/**
 * Hooks of one event that share a matcher. `timeout` (in seconds) and `onFailure` are the defaults for hooks that set none.
 */
export const HttpHookMatcher = Schema.Struct({
  matcher: opt(Schema.String.check(Schema.isMaxLength(1000))),
  hooks: Schema.Array(HttpHook).check(Schema.isMinLength(1), Schema.isMaxLength(20)),
  timeout: opt(Schema.Finite.check(Schema.isBetween({ minimum: 0.1, maximum: 600 }))),
  onFailure: opt(OnFailure),
})
export type HttpHookMatcher = typeof HttpHookMatcher.Type

/** `options.hooks`: matchers by event. */
export const HttpHookMatchers = Schema.Struct(byEvent(opt(Schema.Array(HttpHookMatcher).check(Schema.isMaxLength(50)))))
export type HttpHookMatchers = typeof HttpHookMatchers.Type
