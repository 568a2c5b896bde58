// The interface of every tool, by topic: its description, its effects, its permissions, and a `run` that returns an outcome. What
// `run` may use is in context-parts.ts.
// Invariant: `run` changes nothing itself. Its changes are in `commit`, which the loop calls in the transaction that
// appends the result, so that a tool call takes effect completely or not at all.
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { AgentSchema } from "../schemas/agent-schema/agent-schema.ts"
import type { LogEvent, NewEvent } from "../schemas/log/events.ts"
import type { McpExtras } from "../schemas/sdk/options/mcp-tools.ts"
import type { PermissionMode } from "../schemas/sdk/options/permissions.ts"
import { ToolErrorReason } from "../schemas/sdk/tools/tool-error-reason.ts"
import type {
  ContextCall,
  ContextPlace,
  ContextProgress,
  ContextRules,
  ContextServices,
  ContextShell,
  ContextState,
} from "./context-parts.ts"

/**
 * A call that failed in a way that the model can act on. `message` is the text of the tool result, `output` the structured
 * `tool_use_result`.
 */
export class ToolError extends Schema.TaggedError<ToolError>()("ToolError", {
  reason: ToolErrorReason,
  message: Schema.String,
  output: Schema.optionalKey(Schema.Unknown),
}) {}

/** A block of a tool result, as the Messages API accepts it. */
export type ToolResultBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly source: Record<string, unknown> }
  | { readonly type: "document"; readonly source: Record<string, unknown> }

/** The outcome of a call. `content` is for the model, `output` is the SDK's structured `tool_use_result`. */
export interface ToolOutcome {
  readonly content: string | ReadonlyArray<ToolResultBlock>
  readonly output: unknown
  /** The data that an MCP server returned in addition to its content: `tool_use_result` is `output` as `content`, with these fields. */
  readonly extras?: McpExtras
  /** Present when the SDK sets `is_error` at all for this tool (Bash sets false; Read omits it). */
  readonly isError?: boolean
  /** True when the call was stopped while its turn continues. */
  readonly interrupted?: boolean
  /** The call's changes, applied synchronously in the transaction that appends its result. */
  readonly commit?: (written: ReadonlyArray<LogEvent>) => void
  /** Starts work that continues after the call; called in the transaction that appends the result. */
  readonly begins?: (written: ReadonlyArray<LogEvent>) => void
  /** Facts for the log, appended in the same transaction as `commit`. */
  readonly facts?: ReadonlyArray<NewEvent>
  /** The session's permission mode after the call. */
  readonly mode?: PermissionMode
  /** The conversation's directory after the call. */
  readonly cwd?: string
  /** The duration of the call, where it differs from that of `run`. */
  readonly durationMs?: number
  /** Messages to the model that follow the result. */
  readonly followUp?: ReadonlyArray<string>
  /** Hooks that are called before the call takes effect; when one blocks it, `refused` returns the outcome instead. */
  readonly guard?: {
    readonly event: "TaskCreated" | "TaskCompleted"
    readonly facts: Readonly<Record<string, unknown>>
    readonly refused: (reason: string) => ToolOutcome
  }
}

/** The outcome of a call that failed with `text`, as the model reads it and as clients see it. */
export const errorOutcome = (text: string): ToolOutcome => ({
  content: text,
  isError: true,
  output: `Error: ${text}`,
})

/** The services and state that a tool may use. */
export interface ToolContext
  extends ContextCall, ContextPlace, ContextRules, ContextState, ContextServices, ContextShell, ContextProgress {}

/** What the model, users and clients see of a tool. */
interface ToolDescription<Input> {
  readonly name: string
  readonly description: string
  /** Decodes the model's input; `inputSchema` is the JSON Schema of it, as the Messages API accepts it. */
  readonly decode: (input: unknown) => Effect.Effect<Input, ToolError>
  readonly inputSchema: Readonly<Record<string, unknown>>
  /** Whether the tool has a parameter of this name; others that users and hooks add are dropped. */
  readonly hasParameter?: (name: string) => boolean
  /** As the official SDK: the model may add parameters that the tool does not have, and they are dropped. Most tools refuse them. */
  readonly ignoresUnknown?: true
  /** Only for Perch's own tools: the source of both, of the fingerprint, and of the schema in other providers' vocabularies. */
  readonly agentSchema?: AgentSchema<Input>
  /** The name that users are shown instead of `name`. */
  readonly display?: string
  /** The MCP server that the tool belongs to, and where that server was configured. */
  readonly mcpServer?: { readonly name: string; readonly source: string }
  /** The tool's name on its MCP server. */
  readonly serverTool?: string
  readonly destructive: boolean
  readonly idempotent: boolean
}

/** What a call may change: decides what it runs concurrently with, and what happens after a crash. */
interface ToolEffects<Input> {
  /** True when this very call changes nothing: it may run concurrently with others and needs no permission. */
  readonly readOnly: (input: Input) => boolean
  /** True when this very call may run concurrently with others; without it, calls that are `readOnly` may. */
  readonly concurrent?: (input: Input) => boolean
  /** True when this call edits files in a way that `acceptEdits` covers. */
  readonly edits: (input: Input) => boolean
  /** True when running this call has effects outside the session: it is recorded before it runs, and never re-run. */
  readonly hasOutsideEffects: (input: Input) => boolean
}

/** What permission rules and asks need to know about a call. */
interface ToolPermissions<Input> {
  /** Absolute paths that the call touches, for permission rules and the working directory check. `root` (default `cwd`) is `~`. */
  readonly paths: (input: Input, cwd: string, root?: string) => ReadonlyArray<string>
  /** The subject of a call that is not a path, such as an address or a query: matched by rules, and shown in asks. */
  readonly subject?: (input: Input) => string
  /** The MCP server whose resources this very call reads: rules that name the server apply to it. */
  readonly readsServer?: (input: Input) => string | undefined
  /** True when no call of the tool needs a permission: it changes only the session's own notes, or what it starts is judged by itself. */
  readonly internal?: boolean
  /** True when this very call needs no permission, as the session is now. */
  readonly needsNoPermission?: (input: Input, context: Pick<ToolContext, "skills">) => boolean
  /** Set when a call is itself an ask: its kind, and the input that the user is shown. */
  readonly question?: {
    readonly kind: "question" | "plan"
    readonly shown: (input: Input) => Input
    /** The input that REST clients are shown, where the model's own input contains more than `shown`. */
    readonly read?: (input: Input, sent: Readonly<Record<string, unknown>>) => Input
  }
  /** The log event that records a call: appended when the call may run, or together with its ask. */
  readonly announces?: (input: Input, toolUseId: string) => NewEvent
}

/** How a call's input is checked and completed before the call runs. */
interface ToolPreparation<Input> {
  /** The input with absolute paths, as hooks, users and the run get it, whether the model, a hook or a user wrote it. */
  readonly resolve?: (input: Input, context: Pick<ToolContext, "cwd" | "root">) => Input
  /** Fields of the input that are read from the workspace: added for hooks and users, and removed again before the run. */
  readonly enrich?: {
    readonly add: (input: Input, context: ToolContext) => Input
    readonly strip: (input: Input, context: ToolContext) => Input
  }
  /** The tool's own checks, before any hook; when they fail, no hook is fired. */
  readonly validate?: (input: Input, context: ToolContext) => Effect.Effect<void, ToolError>
}

/** How a call runs. */
interface ToolRun<Input> {
  /** Loads the code that all but the schema and `decode` needs; null when it is loaded. Absent when there is none to load. */
  readonly load?: () => Promise<void> | null
  readonly run: (input: Input, context: ToolContext) => Effect.Effect<ToolOutcome, ToolError>
  /**
   * Formats an output that replaces the tool's own for the model; null when the tool can't format it. `content` is what the
   * model would have read.
   */
  readonly contentOf?: (output: unknown, content: ToolOutcome["content"]) => ToolOutcome["content"] | null
  /** A client executes the call and posts its result; `run` is never called. */
  readonly byClient?: true
  /** A subagent executes the call; `run` is never called. */
  readonly byAgent?: true
  /** The tool is Skill: the loop runs a skill's scripts and its subagent. */
  readonly bySkill?: true
}

/** A tool. `Input` is its decoded input. */
export interface Tool<Input = unknown>
  extends ToolDescription<Input>, ToolEffects<Input>, ToolPermissions<Input>, ToolPreparation<Input>, ToolRun<Input> {}
