// Compares the options of src/schemas/sdk/options/options.ts with the official `Options`: every name has a status, and what a
// session accepts under a name is what the SDK means by it. Nothing runs here: `tsc -p test` is the test.
//
// Exceptions:
//  - `hooks`: addresses to call instead of callbacks, which can't travel as JSON.
//  - `mcpServers`: a server of type `sdk` is named without its instance, which lives in the client.
//  - `settings`: an object with the keys that a session without a disk can have. Its `effortLevel` may also be what the
//    control request `apply_flag_settings` may set: `max`, or null for none.
//  - `thinking`: its display may also be `highlights`, as the control request `set_max_thinking_tokens` may set it.
//  - `permission_prompts`, `ask_timeout_ms`, `workspace_limits`, `runtime`, `shell_network`, `shell_env`, `replay_user_messages`, `max_retries`, `unknown_outcomes`, `model_*timeout_ms`, `clientTools`, `commands`, `reply`, `messaging_tools` and `variant` are Perch's own names;
//    `appendSubagentSystemPrompt` is the SDK's, which sends it and does not type it.
import type { Options, Settings } from "@anthropic-ai/claude-agent-sdk"
import type { OPTION_STATUS } from "../../src/schemas/sdk/status/option-status.ts"
import type { SessionOptions, SessionSettings, ThinkingConfig } from "../../src/schemas/sdk/options/options.ts"
import type { Check, Fits, Plain, Same } from "./compare.ts"

/** The 70 options, no fewer and no more. */
export type EveryOption = Check<{
  named: Fits<keyof Options, keyof typeof OPTION_STATUS>
  known: Fits<keyof typeof OPTION_STATUS, keyof Options>
}>

type Accepted = Exclude<
  keyof SessionOptions,
  | "permission_prompts"
  | "ask_timeout_ms"
  | "workspace_limits"
  | "runtime"
  | "shell_network"
  | "shell_env"
  | "replay_user_messages"
  | "max_retries"
  | "unknown_outcomes"
  | "model_first_byte_timeout_ms"
  | "model_idle_timeout_ms"
  | "model_timeout_ms"
  | "clientTools"
  | "appendSubagentSystemPrompt"
  | "claudeCode"
  | "commands"
  | "reply"
  | "messaging_tools"
  | "variant"
  | "permission"
>
/** Compared by what they share, below. */
type Wider = "settings" | "thinking"
type Other = "hooks" | "mcpServers"

/** What a session accepts, the SDK accepts. */
export type EveryAccepted = Check<{
  [Name in Exclude<Accepted, Other | Wider>]: Fits<
    Plain<NonNullable<SessionOptions[Name]>>,
    Plain<NonNullable<Options[Name]>>
  >
}>

/** And the other way round, but for the options named above. */
export type EveryWhole = Check<{
  [Name in Exclude<Accepted, Other | Wider>]: Same<NonNullable<SessionOptions[Name]>, NonNullable<Options[Name]>>
}>

type Shown<Config> = Config extends { readonly display?: unknown } ? Omit<Config, "display"> : Config
type Display<Config> = Config extends { readonly display?: infer Value } ? NonNullable<Value> : never
type OfficialThinking = NonNullable<Options["thinking"]>
type SharedSettings = Omit<SessionSettings, "effortLevel">
type SharedEffort = Exclude<SessionSettings["effortLevel"], "max" | null | undefined>

/** The options with more values than the SDK's own, without those values. */
export type EveryWider = Check<{
  thinking: Same<Shown<ThinkingConfig>, Shown<OfficialThinking>>
  display: Same<Exclude<Display<ThinkingConfig>, "highlights">, Display<OfficialThinking>>
  settings: Fits<Plain<SharedSettings>, Plain<Settings>>
  settingsKeys: Fits<keyof SessionSettings, keyof Settings>
  effortLevel: Same<SharedEffort, NonNullable<Settings["effortLevel"]>>
}>

/** What is accepted is not called refused. */
export type EveryStatus = Check<{
  [Name in Accepted]: Fits<(typeof OPTION_STATUS)[Name]["status"], "honoured">
}>
