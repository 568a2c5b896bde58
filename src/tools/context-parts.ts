// What a tool may use while a call runs, by topic. `ToolContext` in tool.ts is all of it.
// Invariant: paths are absolute and normalised.
import type * as Effect from "effect/Effect"
import type { GuardedFetch } from "../net/guarded-fetch.ts"
import type { TaskItem } from "../schemas/log/event-payloads.ts"
import type { HttpHookMatchers } from "../schemas/sdk/hooks/http-hooks.ts"
import type { Effort } from "../schemas/sdk/options/options.ts"
import type { PermissionMode } from "../schemas/sdk/options/permissions.ts"
import type { FileRules } from "../workspace/file-rules.ts"
import type { Workspace } from "../workspace/workspace.ts"
import type { BackgroundPort, ShownTask } from "./bash/background-port.ts"
import type { KnownFiles } from "./known-files.ts"
import type { McpResources } from "./mcp/resource-port.ts"
import type { ToolError } from "./tool.ts"
import type { PageCache } from "./web/page-cache.ts"

/** An item of the to-do list, as TodoWrite writes it. */
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
  /** The messages that load this text into the conversation. */
  readonly loading: (text: string) => ReadonlyArray<string>
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

/** Identifies the call, and stops it. */
export interface ContextCall {
  /** The id of the `tool_use` block that is being answered. */
  readonly toolUseId: string
  /** `session:tool_use_id`: the same for every run of the call, so that servers can recognize a repeated request. */
  readonly idempotencyKey: string
  /** Aborts when the turn is interrupted. */
  readonly signal: AbortSignal
}

/** Where the call works. */
export interface ContextPlace {
  readonly workspace: Workspace
  /** The conversation's directory, against which relative paths are resolved. */
  readonly cwd: string
  /** The session's own working directory. */
  readonly root: string
  /** The former directory of the conversation, when it no longer exists. */
  readonly lost?: string
  /** Whether a directory is one in which the session works. */
  readonly inside: (path: string) => boolean
}

/** What the permission rules refuse while the call runs. */
export interface ContextRules {
  readonly rules: ShellRules
  /** The permission rules for this call's files, evaluated at each access. */
  readonly files: FileRules
  /** Whether the rules deny `url`; with `from`, also whether they are stricter for `url` than for `from`, which redirects to it. */
  readonly closed: (url: string, from?: string) => boolean
}

/** The state of the conversation that tools read and change. */
export interface ContextState {
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
}

/** The services of the session that the call may use. */
export interface ContextServices {
  /** Fetches from public addresses, and from those that the server's settings allow by name. */
  readonly fetch: GuardedFetch
  /** Pages that the session fetched recently. */
  readonly pages: PageCache
  /** Sends a model request for the tool's own work; its cost is added to the session's. */
  readonly ask: (question: ModelQuestion) => Effect.Effect<ModelReply, ToolError>
  /** The resources of the session's MCP servers; absent where a call has none. */
  readonly resources?: McpResources
  /** The skills of the session; absent where it uses none. */
  readonly skills?: SkillAccess
}

/** The environment of shell scripts. */
export interface ContextShell {
  /** Whether shell scripts may fetch. */
  readonly shellNetwork: boolean
  /** The environment variables of shell scripts. */
  readonly shellEnv: Readonly<Record<string, string>>
}

/** How the call reports its progress, and continues after its result. */
export interface ContextProgress {
  /** Sends the call's output so far to clients that watch it; absent where calls are not watched. */
  readonly showPrinted?: (printed: Printed) => void
  /** Shows clients a command that takes long as a task, until the returned `end` is called; absent where calls are not watched. */
  readonly showTask?: (description: string) => ShownTask
  /** Returns the progress notes that the session's app has written; absent unless the turn is a routed run. */
  readonly progress?: () => string
  /** Runs commands that continue after their call; absent where that is not allowed. */
  readonly background?: BackgroundPort
  /** Lets clients stop this call, or move it to the background; absent where that is not possible. */
  readonly enter?: BackgroundPort["enter"]
  /** The agent that makes the call; absent in the main thread. */
  readonly agentId?: string
}
