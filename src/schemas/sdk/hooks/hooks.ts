// The hook events of the SDK and how a callback is registered for them; decodes a hook's input by its event.
// Invariant: an unknown event passes through unchanged, and no field of a known one is lost.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { HostHooks } from "./host-hooks.ts"
import { open } from "../open.ts"
import { decoderOf, type ShapeError } from "../shape-error.ts"
import { TurnHooks } from "./turn-hooks.ts"

/** The input of each hook event, by `hook_event_name`. */
export const HookInputs = { ...TurnHooks, ...HostHooks }

export type HookEvent = keyof typeof HookInputs

// The table has exactly these keys.
export const HOOK_EVENTS = Object.keys(HookInputs) as ReadonlyArray<HookEvent>

export const isHookEvent = (name: unknown): name is HookEvent =>
  typeof name === "string" && Object.hasOwn(HookInputs, name)

export type HookInput = { [Event in HookEvent]: (typeof HookInputs)[Event]["Type"] }[HookEvent]

/** A decoded input of a known event, or the unchanged input of an unknown one. */
export type DecodedHookInput =
  | { readonly event: HookEvent; readonly input: HookInput }
  | { readonly event: undefined; readonly input: unknown }

const UnknownHook = open({ hook_event_name: Schema.String })

/** Decodes the input of a hook. An issue's path begins at the input. */
export const decodeHookInput = (input: unknown): Result.Result<DecodedHookInput, ShapeError> => {
  const event = hookEventOf(input)
  if (event === undefined) {
    return Result.map(decoderOf("input", UnknownHook)(input), () => ({ event: undefined, input }))
  }
  const member: Schema.Codec<HookInput> = HookInputs[event]
  return Result.map(decoderOf(event, member)(input), (decoded) => ({ event, input: decoded }))
}

/** The known event that an input names. */
export const hookEventOf = (input: unknown): HookEvent | undefined => {
  if (typeof input !== "object" || input === null || !("hook_event_name" in input)) return undefined
  return isHookEvent(input.hook_event_name) ? input.hook_event_name : undefined
}

/** How a client registers callbacks for an event in `initialize.hooks`: by its own ids. `timeout` is in seconds. */
export const SDKHookCallbackMatcher = open({
  matcher: Schema.optionalKey(Schema.String),
  hookCallbackIds: Schema.Array(Schema.String),
  timeout: Schema.optionalKey(Schema.Finite),
  onFailure: Schema.optionalKey(Schema.Literals(["continue", "block"])),
})
export type SDKHookCallbackMatcher = typeof SDKHookCallbackMatcher.Type

/** A struct's fields: the same one for each event. */
export const byEvent = <Field extends Schema.Top>(field: Field) =>
  // The keys are the events.
  Object.fromEntries(HOOK_EVENTS.map((event) => [event, field])) as Record<HookEvent, Field>

/** `initialize.hooks`. Matchers of unknown events are kept as they are. */
export const HookMatchers = open(byEvent(Schema.optionalKey(Schema.Array(SDKHookCallbackMatcher))))
export type HookMatchers = typeof HookMatchers.Type
