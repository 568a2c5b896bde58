// What every tool is: a name, a schema, a description, how it behaves, and a run that returns an outcome.
// Invariant: `run` changes nothing itself. Its changes are in `commit`, which the loop calls inside the
// transaction that appends the result, so that a tool call is done or not done, never half.
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
 * A call that failed in a way the model can act on. `message` is the text of the tool result. `wrap` asks for
 * `<tool_use_error>` around it (rejections before the tool ran). `output` is the structured `tool_use_result`.
 */
export class ToolError extends Schema.TaggedError<ToolError>()("ToolError", {
  reason: ToolErrorReason,
  message: Schema.String,
  output: Schema.optionalKey(Schema.Unknown),
}) {}

/** A block of a tool result, as the Messages API takes it. */
export type ToolResultBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly source: Record<string, unknown> }
  | { readonly type: "document"; readonly source: Record<string, unknown> }

/** What a call gave. `content` goes to the model, `output` is the SDK's structured `tool_use_result`. */
export interface ToolOutcome {
  readonly content: string | ReadonlyArray<ToolResultBlock>
  readonly output: unknown
  /** What an MCP server gave beside its content: `tool_use_result` is `output` as `content`, with these fields. */
  readonly extras?: McpExtras
  /** Present when the SDK sets `is_error` at all for this tool (Bash sets false; Read omits it). */
  readonly isError?: boolean
  /** True when the call was stopped, and the turn goes on. */
  readonly interrupted?: boolean
  /** The call's changes, applied synchronously in the transaction that appends its result. */
  readonly commit?: () => void
  /** What begins by itself once the call's result is in the log: called in the transaction that appends the result. */
  readonly begins?: () => void
  /** Facts for the log, written together with `commit`. */
  readonly facts?: ReadonlyArray<NewEvent>
  /** The session's permission mode from now on. */
  readonly mode?: PermissionMode
  /** The directory in which the conversation goes on. */
  readonly cwd?: string
  /** How long the call took, where its run alone does not show it. */
  readonly durationMs?: number
  /** A message to the model that follows the result. */
  readonly followUp?: string
  /** Hooks that are called before the call takes effect; when one objects, `refused` gives the outcome. */
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

/** What a tool asks a model, outside the conversation. */
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

/** Its answer: the API's content blocks and usage, as they came. */
export interface ModelReply {
  readonly content: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly usage: Readonly<Record<string, unknown>>
}

/** The session's permission rules as a script meets them while it runs: each call asks the policy that holds then. */
export interface ShellRules {
  /** Why a command may not run, its words expanded; null when it may. */
  readonly command: (words: ReadonlyArray<string>) => string | null
}

/** A skill as a call uses it. */
export interface UsableSkill {
  /** False: only people use it. */
  readonly forModel: boolean
  /** Rules that it allows for the rest of the turn. */
  readonly allowedTools?: ReadonlyArray<string>
  /** Hooks that are called for the rest of the turn. */
  readonly hooks?: HttpHookMatchers
  /** As its file has it: clients read it, and the turn goes on with its own. */
  readonly model?: string
  /** That of the rest of the turn. */
  readonly effort?: Effort
  /** The subagent that it runs as. */
  readonly agent?: string
  /** The text with the arguments in it, or why there is none. */
  readonly text: (args: string) => string | { readonly fault: string }
}

/** The skills of a session, as its files are now. */
export interface SkillAccess {
  /** Those that the model may use. */
  readonly names: () => ReadonlyArray<string>
  readonly find: (name: string) => UsableSkill | undefined
}

/** The end of what a call that still runs has printed; `truncated` when more came before it. */
export interface Printed {
  readonly output: string
  readonly truncated: boolean
}

/** What a tool may use. Paths are absolute and normalised. */
export interface ToolContext {
  readonly workspace: Workspace
  /** The directory of the conversation; relative paths begin here. */
  readonly cwd: string
  /** The session's own working directory. */
  readonly root: string
  /** The former directory of the conversation, when it no longer exists. */
  readonly lost?: string
  /** True for a directory in which the session works. */
  readonly inside: (path: string) => boolean
  readonly rules: ShellRules
  /** What rules let this call do with files, as they are when it comes to each. */
  readonly files: FileRules
  /** Files whose content the model knows: read, written or edited earlier in this session. */
  readonly knownFiles: KnownFiles
  readonly todos: {
    readonly read: () => ReadonlyArray<Todo>
    readonly write: (todos: ReadonlyArray<Todo>) => void
  }
  readonly tasks: {
    readonly read: () => ReadonlyArray<TaskItem>
    /** The number of the last task that was made, deleted or not. */
    readonly last: () => number
  }
  readonly planning: {
    /** True while plan mode holds, and for a call that was asked about while it did. */
    readonly on: boolean
    /** The mode in which the session goes on after its plan. */
    readonly next: () => PermissionMode
    /** The file that holds the session's plan. */
    readonly file: string
    /** What the model's call gave as the plan, beside the file. */
    readonly proposed: unknown
  }
  /** Fetches what is public, and what the server's settings allow by name. */
  readonly fetch: GuardedFetch
  /** True for an address that a rule forbids to fetch. */
  readonly closed: (url: string) => boolean
  /** Pages that the session read lately. */
  readonly pages: PageCache
  /** Asks a model for the tool's own work; what it costs is the session's. */
  readonly ask: (question: ModelQuestion) => Effect.Effect<ModelReply, ToolError>
  /** Shows those who watch what the call has printed so far; absent where calls are not watched. */
  readonly showPrinted?: (printed: Printed) => void
  /** The progress that the session's app has written; absent where a turn is no routed run. */
  readonly progress?: () => string
  /** True when shell scripts may fetch. */
  readonly shellNetwork: boolean
  /** The resources of the session's MCP servers; absent where a call has none. */
  readonly resources?: McpResources
  /** Variables that scripts find in their environment. */
  readonly shellEnv: Readonly<Record<string, string>>
  /** Commands that go on after their call; absent where none may. */
  readonly background?: BackgroundPort
  /** Lets clients send this call to the background; absent where it can't go. */
  readonly enter?: BackgroundPort["enter"]
  /** Absent where the session uses none. */
  readonly skills?: SkillAccess
  /** The id of the `tool_use` block that is being answered. */
  readonly toolUseId: string
  /** `session:tool_use_id`: the same for every run of the call, for servers that know what was asked of them before. */
  readonly idempotencyKey: string
  /** Aborts when the turn is interrupted. */
  readonly signal: AbortSignal
}

export interface Tool<Input = unknown> {
  readonly name: string
  readonly description: string
  /** Decodes what the model sent; `inputSchema` is its JSON Schema as the Messages API takes it. */
  readonly decode: (input: unknown) => Effect.Effect<Input, ToolError>
  readonly inputSchema: Readonly<Record<string, unknown>>
  /** Whether it has a parameter of this name; what people and hooks give besides its parameters is left out. */
  readonly takes?: (name: string) => boolean
  /** The one source of both, for tools of Perch's own: fingerprint, and the schema in other providers' vocabularies. */
  readonly agentSchema?: AgentSchema<Input>
  /** What people read instead of the name. */
  readonly display?: string
  /** The MCP server that the tool belongs to, and where that server was configured. */
  readonly mcpServer?: { readonly name: string; readonly source: string }
  /** The MCP server whose resources this very call reads: rules that name the server hold for it. */
  readonly readsServer?: (input: Input) => string | undefined
  /** What that server calls the tool. */
  readonly serverTool?: string
  /** True when this very call changes nothing: it may run beside others and needs no permission. */
  readonly readOnly: (input: Input) => boolean
  /** True when this very call may run beside others; without it, calls that are `readOnly` may. */
  readonly concurrent?: (input: Input) => boolean
  /** True when this call edits files in a way that `acceptEdits` covers. */
  readonly edits: (input: Input) => boolean
  /** True when running it twice could be seen outside the session: it is written ahead and never re-run. */
  readonly outside: (input: Input) => boolean
  /** True when the tool changes only the session's own notes: it is never asked about. */
  readonly internal?: boolean
  /** True when this very call needs no permission, as the session is now. */
  readonly unasked?: (input: Input, context: Pick<ToolContext, "skills">) => boolean
  /** The call is itself a question to the user: its kind, and the input that the user is shown. */
  readonly question?: {
    readonly kind: "question" | "plan"
    readonly shown: (input: Input) => Input
    /** What a person reads over REST, where the input as the model sent it holds more than `shown`. */
    readonly read?: (input: Input, sent: Readonly<Record<string, unknown>>) => Input
  }
  /** The event of the log that a call is: written when the call may run, or together with the question that it is. */
  readonly announces?: (input: Input, toolUseId: string) => NewEvent
  /** Fields of the input that are read from the workspace: added for hooks and users, stripped again before the run. */
  readonly enrich?: {
    readonly add: (input: Input, context: ToolContext) => Input
    readonly strip: (input: Input, context: ToolContext) => Input
  }
  /** A client carries the call out and posts its result; `run` is never called. */
  readonly byClient?: true
  /** A subagent carries the call out; `run` is never called. */
  readonly byAgent?: true
  /** Its scripts and its subagent are carried out by the loop. */
  readonly bySkill?: true
  readonly destructive: boolean
  readonly idempotent: boolean
  /** Absolute paths the call touches, for permission rules and the working directory check. `root`, without it `cwd`, is the home. */
  readonly paths: (input: Input, cwd: string, root?: string) => ReadonlyArray<string>
  /** What a call is about where it is no path: an address, a query. Rules look at it, and people read it in the question. */
  readonly subject?: (input: Input) => string
  /** The tool's own checks, before any hook: a failure here fires none. */
  readonly validate?: (input: Input, context: ToolContext) => Effect.Effect<void, ToolError>
  /** Loads what all of the tool but its schema and `decode` needs; null when it is there. Without it nothing is missing. */
  readonly load?: () => Promise<void> | null
  readonly run: (input: Input, context: ToolContext) => Effect.Effect<ToolOutcome, ToolError>
  /** What the model is shown of an output that replaces the tool's own; null when the tool can't show it. */
  readonly contentOf?: (output: unknown) => ToolOutcome["content"] | null
}
