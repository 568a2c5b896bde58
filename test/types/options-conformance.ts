// Compares the options of src/schemas/sdk/options.ts with the official `Options`: every name has a status, and what a
// session accepts under a name is what the SDK means by it. Nothing runs here: `tsc -p test` is the test.
//
// Exceptions, each with the status "differently" in the table:
//  - `hooks`: addresses to call instead of callbacks, which can't travel as JSON.
//  - `mcpServers`: a server of type `sdk` is named without its instance, which lives in the client.
//  - `settings`: an object with the keys that a session without a disk can have.
//  - `permission_prompts` and `max_retries` are Perch's own names.
import type { Options } from "@anthropic-ai/claude-agent-sdk"
import type { OPTION_STATUS, SessionOptions } from "../../src/schemas/sdk/options.ts"
import type { Check, Fits, Plain, Same } from "./compare.ts"

/** The 70 options, no fewer and no more. */
export type EveryOption = Check<{
  named: Fits<keyof Options, keyof typeof OPTION_STATUS>
  known: Fits<keyof typeof OPTION_STATUS, keyof Options>
}>

type Accepted = Exclude<keyof SessionOptions, "permission_prompts" | "max_retries">
type Other = "hooks" | "mcpServers"
type Narrower = "settings" | Other

/** What a session accepts, the SDK accepts. */
export type EveryAccepted = Check<{
  [Name in Exclude<Accepted, Other>]: Fits<Plain<NonNullable<SessionOptions[Name]>>, Plain<NonNullable<Options[Name]>>>
}>

/** And the other way round, but for the options named above. */
export type EveryWhole = Check<{
  [Name in Exclude<Accepted, Narrower>]: Same<NonNullable<SessionOptions[Name]>, NonNullable<Options[Name]>>
}>

/** What is accepted is not called refused. */
export type EveryStatus = Check<{
  [Name in Accepted]: Fits<(typeof OPTION_STATUS)[Name]["status"], "supported" | "differently">
}>
