// The options of a session while the command line is parsed: each flag adds to the draft.
// Invariant: values are passed on as they were written; only the server checks whether a session accepts them.
import type { SessionOptions } from "../../schemas/sdk/options/options.ts"
import type { InitializeDefaults } from "../initialize-line.ts"
import type { PromptFlags } from "./prompt-flags.ts"

/** The keys of `options` when a session is opened: a session's options, and those that select a session. */
export type LaunchOption = keyof SessionOptions | "resume" | "continue" | "forkSession" | "resumeSessionAt"

/** `options` of `POST /v1/sessions`. */
export type LaunchOptions = Partial<Record<LaunchOption, unknown>>

export interface Draft {
  /** The app's working directory, in which files that flags name are looked up. */
  readonly cwd: string
  readonly options: LaunchOptions
  /** `--session-id` */
  id?: string
  /** Whether the client answers permission requests, because the app has canUseTool. */
  asks: boolean
  /** False with `--permission-prompts=none`: permission requests are denied, even if the client could answer them. */
  answered: boolean
  thinkingDisplay?: string
  /** The app has a sessionStore, which receives every entry of the transcript. */
  mirrored: boolean
  /** The flags of the system prompt. */
  readonly prompt: PromptFlags
  sdkServers: InitializeDefaults["sdkServers"]
}

export const emptyDraft = (cwd: string): Draft => ({
  cwd,
  options: {},
  asks: false,
  answered: true,
  mirrored: false,
  prompt: {},
  sdkServers: {},
})

/** The draft's options, and those that result from several flags together. */
export const optionsOf = ({ options, asks, answered, thinkingDisplay }: Draft): LaunchOptions => ({
  ...(thinkingDisplay === undefined ? options : withDisplay(options, thinkingDisplay)),
  permission_prompts: asks && answered ? "ask" : "deny",
})

/** `--thinking-display` applies to the thinking that another flag configures; without one it applies to adaptive thinking. */
const withDisplay = ({ maxThinkingTokens, ...options }: LaunchOptions, display: string): LaunchOptions => {
  const asked =
    maxThinkingTokens === undefined ? { type: "adaptive" } : { type: "enabled", budgetTokens: maxThinkingTokens }
  return { ...options, thinking: Object.assign(asked, options.thinking, { display }) }
}
