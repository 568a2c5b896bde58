// Compares the hook shapes of src/schemas/sdk with the official types, event by event and both ways. Nothing runs here:
// `tsc -p test` is the test. An event that differs shows as an error at its name.
//
// Exceptions:
//  - `SyncHookJSONOutput.async` is declared here as a field that is never there: without it an `async` answer whose
//    timeout is wrong would be taken for an empty verdict.
//  - `PreSkillShellCommand` came with SDK 0.3.332: the official types here do not have it.
//  - HookCallbackMatcher and HookCallback hold functions, which stay in the client; their wire form is compared.
import type * as sdk from "@anthropic-ai/claude-agent-sdk"
import type {
  AsyncHookJSONOutput,
  HookPermissionDecision,
  HookSpecificOutputs,
  SyncHookJSONOutput,
} from "../../src/schemas/sdk/hooks/hook-outputs.ts"
import type { HookEvent, HookInputs, HookMatchers, SDKHookCallbackMatcher } from "../../src/schemas/sdk/hooks/hooks.ts"
import type { ExitReason } from "../../src/schemas/sdk/hooks/turn-hooks.ts"
import type { Check, Fits, Same } from "./compare.ts"

/** The events of later versions of the SDK. */
export type NewerEvent = "PreSkillShellCommand"

type OfficialInput<Event extends sdk.HookEvent> = Extract<sdk.HookInput, { hook_event_name: Event }>
type OfficialSpecific = NonNullable<sdk.SyncHookJSONOutput["hookSpecificOutput"]>
type OfficialOutput<Event extends OfficialSpecific["hookEventName"]> = Extract<
  OfficialSpecific,
  { hookEventName: Event }
>
type OfficialInitialize = Extract<sdk.SDKControlRequest["request"], { subtype: "initialize" }>

/** The 33 events of this version, no fewer and no more. */
export type EveryEvent = Check<{
  named: Fits<sdk.HookEvent, HookEvent>
  known: Fits<Exclude<HookEvent, NewerEvent>, sdk.HookEvent>
}>

export type EveryInput = Check<{
  [Event in sdk.HookEvent]: Same<(typeof HookInputs)[Event]["Type"], OfficialInput<Event>>
}>

/** What is sent has the type that is decoded: no schema transforms. */
export type EveryEncodedInput = Check<{
  [Event in sdk.HookEvent]: Same<(typeof HookInputs)[Event]["Encoded"], OfficialInput<Event>>
}>

/** The 22 events with an output of their own. */
export type EveryOutputEvent = Check<{
  named: Fits<OfficialSpecific["hookEventName"], keyof typeof HookSpecificOutputs>
  known: Fits<Exclude<keyof typeof HookSpecificOutputs, NewerEvent>, OfficialSpecific["hookEventName"]>
}>

export type EveryOutput = Check<{
  [Event in OfficialSpecific["hookEventName"]]: Same<(typeof HookSpecificOutputs)[Event]["Type"], OfficialOutput<Event>>
}>

/** A hook's output, without the fields of newer events. */
export type WithoutNewer<Output> = Output extends { readonly hookSpecificOutput?: infer Specific }
  ? Omit<Output, "hookSpecificOutput"> & {
      readonly hookSpecificOutput?: Exclude<Specific, { readonly hookEventName: NewerEvent }>
    }
  : Output

export type Outputs = Check<{
  sync: Same<WithoutNewer<typeof SyncHookJSONOutput.Type>, sdk.SyncHookJSONOutput>
  async: Same<typeof AsyncHookJSONOutput.Type, sdk.AsyncHookJSONOutput>
  decision: Same<HookPermissionDecision, sdk.HookPermissionDecision>
}>

export type Registration = Check<{
  matchers: Same<Omit<HookMatchers, NewerEvent>, NonNullable<OfficialInitialize["hooks"]>>
  matcher: Same<SDKHookCallbackMatcher, NonNullable<NonNullable<OfficialInitialize["hooks"]>["PreToolUse"]>[number]>
  exit: Same<ExitReason, sdk.ExitReason>
}>
