// How a subtask is run, and its result.
import * as Schema from "effect/Schema"
import { PermissionMode } from "../sdk/options/permissions.ts"
import { Subtask } from "./subtask.ts"

const opt = Schema.optionalKey
const Count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))

/** How a subtask is run. `resume` names a session to resume; `forkSession` copies that session first. */
export const SubagentConfig = Schema.Struct({
  subtask: Subtask,
  cwd: Schema.String.check(Schema.isPattern(/^\//, { message: "Expected an absolute path" })),
  tools: opt(Schema.Array(Schema.String)),
  model: opt(Schema.String),
  maxTurns: opt(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000 }))),
  permissionMode: opt(PermissionMode),
  resume: opt(Schema.String),
  forkSession: opt(Schema.Boolean),
}).annotate({ identifier: "SubagentConfig" })
export type SubagentConfig = typeof SubagentConfig.Type

/** The agent that executes a subtask: the full one, or the minimal one. */
export const SubagentMode = Schema.Literals(["claude-code", "minimal"])
export type SubagentMode = typeof SubagentMode.Type

/** Tokens by kind; `input_tokens` does not include those of the cache. */
export const SubagentTokens = Schema.Struct({
  input_tokens: opt(Count),
  output_tokens: opt(Count),
  cache_read_input_tokens: opt(Count),
  cache_creation_input_tokens: opt(Count),
}).annotate({ identifier: "SubagentTokens" })
export type SubagentTokens = typeof SubagentTokens.Type

/**
 * The result of a subtask. After a fallback it combines both runs: their files, turns, tokens and costs. `summary` is what the
 * run itself reported.
 */
export const SubagentResult = Schema.Struct({
  success: Schema.Boolean,
  subtaskId: Schema.String,
  filesModified: Schema.Array(Schema.String),
  turns: Count,
  error: opt(Schema.String),
  summary: opt(Schema.String),
  tokenUsage: opt(SubagentTokens),
  total_cost_usd: opt(Schema.Finite),
  mode: opt(SubagentMode),
  claudeCodeSessionId: opt(Schema.String),
}).annotate({ identifier: "SubagentResult" })
export type SubagentResult = typeof SubagentResult.Type
