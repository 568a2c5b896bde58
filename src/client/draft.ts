// The launch of a session while its command line is read: options gather here, flag by flag.
// Invariant: values are carried as they were written; what a session accepts is checked once, by the server.
import type { SessionOptions } from "../schemas/sdk/options/options.ts"

/** What `options` may hold when a session is opened: a session's options, and which session is meant. */
export type LaunchOption = keyof SessionOptions | "resume" | "continue" | "forkSession" | "resumeSessionAt"

/** `options` of `POST /v1/sessions`. */
export type LaunchOptions = Partial<Record<LaunchOption, unknown>>

export interface Draft {
  readonly options: LaunchOptions
  /** `--session-id` */
  id?: string
  /** Whether a client answers questions: it has canUseTool. */
  asks: boolean
  /** False with `--permission-prompts=none`: questions are denied, even where the client could answer. */
  answered: boolean
  thinkingDisplay?: string
  /** The app has a sessionStore, which receives every entry of the transcript. */
  mirrored?: boolean
}

export const emptyDraft = (): Draft => ({ options: {}, asks: false, answered: true })

/** The draft's own options, with those made that several flags make together. */
export const optionsOf = ({ options, asks, answered, thinkingDisplay }: Draft): LaunchOptions => ({
  ...(thinkingDisplay === undefined ? options : withDisplay(options, thinkingDisplay)),
  permission_prompts: asks && answered ? "ask" : "deny",
})

/** `--thinking-display` belongs to the thinking that another flag asks for; alone it belongs to the model's own, adaptive. */
const withDisplay = ({ maxThinkingTokens, ...options }: LaunchOptions, display: string): LaunchOptions => {
  const asked =
    maxThinkingTokens === undefined ? { type: "adaptive" } : { type: "enabled", budgetTokens: maxThinkingTokens }
  return { ...options, thinking: Object.assign(asked, options.thinking, { display }) }
}
