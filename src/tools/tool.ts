// The interface of every tool: a name, a schema, a description, how it behaves, and a `run` that returns an outcome.
// Invariant: `run` changes nothing itself. Its changes are in `commit`, which the loop calls in the transaction that
// appends the result, so that a tool call takes effect completely or not at all.
import type { HttpHookMatchers } from "../schemas/sdk/hooks/http-hooks.ts"
import type { Effort } from "../schemas/sdk/options/options.ts"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { AgentSchema } from "../schemas/agent-schema/agent-schema.ts"
import type { TaskItem } from "../schemas/log/event-payloads.ts"
import type { NewEvent } from "../schemas/log/events.ts"
import type { McpExtras } from "../schemas/sdk/options/mcp-tools.ts"
import type { PermissionMode } from "../schemas/sdk/options/permissions.ts"
import { ToolErrorReason } from "../schemas/sdk/tools/tool-error-reason.ts"
import type { GuardedFetch } from "../net/guarded-fetch.ts"
import type { BackgroundPort } from "./bash/background-port.ts"
import type { McpResources } from "./mcp/resource-port.ts"
import type { FileRules } from "../workspace/file-rules.ts"
import type { Workspace } from "../workspace/workspace.ts"
import type { PageCache } from "./web/page-cache.ts"
import type { KnownFiles } from "./known-files.ts"

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
  readonly commit?: () => void
  /** Starts work that continues after the call; called in the transaction that appends the result. */
  readonly begins?: () => void
  /** Facts for the log, appended in the same transaction as `commit`. */
  readonly facts?: ReadonlyArray<NewEvent>
  /** The session's permission mode after the call. */
  readonly mode?: PermissionMode
  /** The conversation's directory after the call. */
  readonly cwd?: string
  /** The duration of the call, where it differs from that of `run`. */
  readonly durationMs?: number
  /** A message to the model that follows the result. */
  readonly followUp?: string
  /** Hooks that are called before the call takes effect; when one blocks it, `refused` returns the outcome instead. */
  readonly guard?: {
    readonly event: "TaskCreated" | "TaskCompleted"
    readonly facts: Readonly<Record<string, unknown>>
    readonly refused: (reason: string) => ToolOutcome
  }
}

export interface Todo {
  readonly content: string
  readonly status: "pending" | "in_progress" | "completed"
  readonly activeForm: string
}

/** A model request of a tool, outside of the conversation. */
export interface ModelQuestion {
  /** The session's own model, or a small and fast one. */
  readonly model: "session" | "small"
  readonly system: string
  readonly text: string
  readonly maxTokens: number
  /** Tools of the API itself, and which of them must be used. */
  readonly tools?: ReadonlyArray<Record<string, unknown>>
  readonly toolChoice?: Record<string, unknown>
}

/** The answer to a ModelQuestion: the API's content blocks and usage, unchanged. */
export interface ModelReply {
  readonly content: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly usage: Readonly<Record<string, unknown>>
}

/** The session's permission rules for a running script; each check uses the policy at that time. */
export interface ShellRules {
  /** Why a command, given as its expanded words, may not run; null when it may. */
  readonly command: (words: ReadonlyArray<string>) => string | null
}

/** A skill, as the Skill tool uses it. */
export interface UsableSkill {
  /** False when only users may invoke it. */
  readonly forModel: boolean
  /** Rules that it allows for the rest of the turn. */
  readonly allowedTools?: ReadonlyArray<string>
  /** Rules that it denies for the rest of the turn. */
  readonly disallowedTools?: ReadonlyArray<string>
  /** Hooks that are called for the rest of the turn. */
  readonly hooks?: HttpHookMatchers
  /** The model that its file names; only reported to clients, the turn keeps its own. */
  readonly model?: string
  /** The effort for the rest of the turn. */
  readonly effort?: Effort
  /** The subagent in which it runs. */
  readonly agent?: string
  /** Returns the text with the arguments filled in, or why there is none. */
  readonly text: (args: string) => string | { readonly fault: string }
  /** True if the conversation contains this text already. */
  readonly isLoaded: (text: string) => boolean
}

/** The skills of a session, according to its current files. */
export interface SkillAccess {
  /** The names of the skills that the model may use. */
  readonly names: () => ReadonlyArray<string>
  readonly find: (name: string) => UsableSkill | undefined
}

/** The end of a running call's output so far; `truncated` when there is more before it. */
export interface Printed {
  readonly output: string
  readonly truncated: boolean
}

/** The services and state that a tool may use. Paths are absolute and normalised. */
export interface ToolContext {
  readonly workspace: Workspace
  /** The conversation's directory, against which relative paths are resolved. */
  readonly cwd: string
  /** The session's own working directory. */
  readonly root: string
  /** The former directory of the conversation, when it no longer exists. */
  readonly lost?: string
  /** Whether a directory is one in which the session works. */
  readonly inside: (path: string) => boolean
  readonly rules: ShellRules
  /** The permission rules for this call's files, evaluated at each access. */
  readonly files: FileRules
  /** Files whose content the model knows: read, written or edited earlier in this session. */
  readonly knownFiles: KnownFiles
  readonly todos: {
    readonly read: () => ReadonlyArray<Todo>
    readonly write: (todos: ReadonlyArray<Todo>) => void
  }
  readonly tasks: {
    readonly read: () => ReadonlyArray<TaskItem>
    /** The number of the last task that was created, even if it was deleted. */
    readonly last: () => number
  }
  readonly planning: {
    /** True in plan mode, and for a call whose ask was opened in plan mode. */
    readonly on: boolean
    /** Returns the mode to which the session returns after its plan. */
    readonly next: () => PermissionMode
    /** The path of the session's plan file. */
    readonly file: string
    /** The plan in the model's call itself, as opposed to the file. */
    readonly proposed: unknown
  }
  /** Fetches from public addresses, and from those that the server's settings allow by name. */
  readonly fetch: GuardedFetch
  /** Whether a rule forbids to fetch an address. */
  readonly closed: (url: string) => boolean
  /** Pages that the session fetched recently. */
  readonly pages: PageCache
  /** Sends a model request for the tool's own work; its cost is added to the session's. */
  readonly ask: (question: ModelQuestion) => Effect.Effect<ModelReply, ToolError>
  /** Sends the call's output so far to clients that watch it; absent where calls are not watched. */
  readonly showPrinted?: (printed: Printed) => void
  /** Returns the progress notes that the session's app has written; absent unless the turn is a routed run. */
  readonly progress?: () => string
  /** Whether shell scripts may fetch. */
  readonly shellNetwork: boolean
  /** The resources of the session's MCP servers; absent where a call has none. */
  readonly resources?: McpResources
  /** The environment variables of shell scripts. */
  readonly shellEnv: Readonly<Record<string, string>>
  /** Runs commands that continue after their call; absent where that is not allowed. */
  readonly background?: BackgroundPort
  /** Lets clients move this call to the background; absent where that is not possible. */
  readonly enter?: BackgroundPort["enter"]
  /** Absent where the session uses none. */
  readonly skills?: SkillAccess
  /** The id of the `tool_use` block that is being answered. */
  readonly toolUseId: string
  /** `session:tool_use_id`: the same for every run of the call, so that servers can recognize a repeated request. */
  readonly idempotencyKey: string
  /** Aborts when the turn is interrupted. */
  readonly signal: AbortSignal
}

export interface Tool<Input = unknown> {
  readonly name: string
  readonly description: string
  /** Decodes the model's input; `inputSchema` is the JSON Schema of it, as the Messages API accepts it. */
  readonly decode: (input: unknown) => Effect.Effect<Input, ToolError>
  readonly inputSchema: Readonly<Record<string, unknown>>
  /** Whether the tool has a parameter of this name; others that users and hooks add are dropped. */
  readonly hasParameter?: (name: string) => boolean
  /** Only for Perch's own tools: the source of both, of the fingerprint, and of the schema in other providers' vocabularies. */
  readonly agentSchema?: AgentSchema<Input>
  /** The name that users are shown instead of `name`. */
  readonly display?: string
  /** The MCP server that the tool belongs to, and where that server was configured. */
  readonly mcpServer?: { readonly name: string; readonly source: string }
  /** The MCP server whose resources this very call reads: rules that name the server apply to it. */
  readonly readsServer?: (input: Input) => string | undefined
  /** The tool's name on its MCP server. */
  readonly serverTool?: string
  /** True when this very call changes nothing: it may run concurrently with others and needs no permission. */
  readonly readOnly: (input: Input) => boolean
  /** True when this very call may run concurrently with others; without it, calls that are `readOnly` may. */
  readonly concurrent?: (input: Input) => boolean
  /** True when this call edits files in a way that `acceptEdits` covers. */
  readonly edits: (input: Input) => boolean
  /** True when running this call has effects outside the session: it is recorded before it runs, and never re-run. */
  readonly hasOutsideEffects: (input: Input) => boolean
  /** True when the tool changes only the session's own notes: its calls need no permission. */
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
  /** The input with absolute paths, as hooks, users and the run get it, whether the model, a hook or a user wrote it. */
  readonly resolve?: (input: Input, context: Pick<ToolContext, "cwd" | "root">) => Input
  /** Fields of the input that are read from the workspace: added for hooks and users, and removed again before the run. */
  readonly enrich?: {
    readonly add: (input: Input, context: ToolContext) => Input
    readonly strip: (input: Input, context: ToolContext) => Input
  }
  /** A client executes the call and posts its result; `run` is never called. */
  readonly byClient?: true
  /** A subagent executes the call; `run` is never called. */
  readonly byAgent?: true
  /** The tool is Skill: the loop runs a skill's scripts and its subagent. */
  readonly bySkill?: true
  readonly destructive: boolean
  readonly idempotent: boolean
  /** Absolute paths that the call touches, for permission rules and the working directory check. `root` (default `cwd`) is `~`. */
  readonly paths: (input: Input, cwd: string, root?: string) => ReadonlyArray<string>
  /** The subject of a call that is not a path, such as an address or a query: matched by rules, and shown in asks. */
  readonly subject?: (input: Input) => string
  /** The tool's own checks, before any hook; when they fail, no hook is fired. */
  readonly validate?: (input: Input, context: ToolContext) => Effect.Effect<void, ToolError>
  /** Loads the code that all but the schema and `decode` needs; null when it is loaded. Absent when there is none to load. */
  readonly load?: () => Promise<void> | null
  readonly run: (input: Input, context: ToolContext) => Effect.Effect<ToolOutcome, ToolError>
  /**
   * Formats an output that replaces the tool's own for the model; null when the tool can't format it. `content` is what the
   * model would have read.
   */
  readonly contentOf?: (output: unknown, content: ToolOutcome["content"]) => ToolOutcome["content"] | null
}
