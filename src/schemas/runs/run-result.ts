// The result of a run, in the shape of the callers' channel runner: payloads, facts about the run, and what tools sent.
import * as Schema from "effect/Schema"

const opt = Schema.optionalKey

export const RunPayload = Schema.Struct({
  text: opt(Schema.String),
  mediaUrl: opt(Schema.String),
  mediaUrls: opt(Schema.Array(Schema.String)),
  replyToId: opt(Schema.String),
  isError: opt(Schema.Boolean),
  isReasoning: opt(Schema.Boolean),
  audioAsVoice: opt(Schema.Boolean),
}).annotate({ identifier: "RunPayload" })
export type RunPayload = typeof RunPayload.Type

/** A count of tokens. */
const count = (description: string, example: number) => opt(Schema.Int.annotate({ description, examples: [example] }))

const Tokens = Schema.Struct({
  input: count("Tokens of the requests, without those of the cache.", 1200),
  output: count("Tokens of the answers.", 80),
  cacheRead: count("Tokens read from the cache.", 900),
  cacheWrite: count("Tokens written to the cache.", 60),
  total: count("All of them.", 2240),
}).annotate({ identifier: "RunTokens" })
export type RunTokens = typeof Tokens.Type

export const RunErrorKind = Schema.Literals(["context_overflow", "compaction_failure", "role_ordering", "image_size"])
export type RunErrorKind = typeof RunErrorKind.Type

export const PendingToolCall = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  arguments: Schema.String.annotate({ description: "The call's input as JSON." }),
}).annotate({ identifier: "PendingToolCall" })
export type PendingToolCall = typeof PendingToolCall.Type

/**
 * What was sent to the model in addition to the conversation: its system prompt, the project's files in it, skills and tools. Counts
 * are of characters.
 */
export interface SystemPromptReport {
  readonly source: "run"
  /** Milliseconds since 1970. */
  readonly generatedAt: number
  readonly sessionId: string
  readonly sessionKey?: string
  readonly provider: string
  readonly model: string
  readonly workspaceDir: string
  readonly systemPrompt: {
    readonly chars: number
    readonly projectContextChars: number
    readonly nonProjectContextChars: number
  }
  readonly injectedWorkspaceFiles: ReadonlyArray<{
    readonly name: string
    readonly path: string
    readonly missing: boolean
    readonly rawChars: number
    readonly injectedChars: number
    readonly truncated: boolean
  }>
  readonly skills: {
    readonly promptChars: number
    readonly entries: ReadonlyArray<{ readonly name: string; readonly blockChars: number }>
  }
  readonly tools: {
    readonly listChars: number
    readonly schemaChars: number
    readonly entries: ReadonlyArray<{
      readonly name: string
      readonly summaryChars: number
      readonly schemaChars: number
      readonly propertiesCount: number | null
    }>
  }
}

/** The report is only in responses, which are never decoded, so the schema need not describe it. */
const Report = Schema.Record(Schema.String, Schema.Unknown).annotate({
  identifier: "SystemPromptReport",
}) as unknown as Schema.Codec<SystemPromptReport>

export const RunMeta = Schema.Struct({
  durationMs: Schema.Int,
  agentMeta: opt(
    Schema.Struct({
      sessionId: Schema.String,
      provider: Schema.String,
      model: Schema.String,
      usage: opt(Tokens),
      lastCallUsage: opt(Tokens),
      compactionCount: opt(Schema.Int),
    }),
  ),
  aborted: opt(Schema.Boolean),
  systemPromptReport: opt(Report),
  error: opt(Schema.Struct({ kind: RunErrorKind, message: Schema.String })),
  stopReason: opt(Schema.String),
  pendingToolCalls: opt(Schema.Array(PendingToolCall)),
}).annotate({ identifier: "EmbeddedRunMeta" })
export type RunMeta = typeof RunMeta.Type

const Target = Schema.Struct({
  tool: Schema.String,
  provider: opt(Schema.String),
  accountId: opt(Schema.String),
  to: opt(Schema.String),
  threadId: opt(Schema.String),
})

export const EmbeddedRunResult = Schema.Struct({
  payloads: opt(Schema.Array(RunPayload)),
  meta: RunMeta,
  didSendViaMessagingTool: opt(Schema.Boolean),
  messagingToolSentTexts: opt(Schema.Array(Schema.String)),
  messagingToolSentTargets: opt(Schema.Array(Target)),
}).annotate({ identifier: "EmbeddedRunResult" })
export type EmbeddedRunResult = typeof EmbeddedRunResult.Type
