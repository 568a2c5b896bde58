// The running turn as the loop sees it, by topic: what it shares with its session, and what it has for itself. `Turn` in ports.ts
// is all of it. Also the parts of a turn that answers no prompt.
// Invariant: a field that may change while the turn runs is a getter or a function, so that each use has the current value.
import type * as Effect from "effect/Effect"
import type { GuardedFetch } from "../net/guarded-fetch.ts"
import type { Policy } from "../permissions/policy.ts"
import type { TurnQueued } from "../schemas/log/event-payloads.ts"
import type { NewEvent } from "../schemas/log/events.ts"
import type { ApiKeySource } from "../schemas/sdk/messages/message-values.ts"
import type { SessionOptions } from "../schemas/sdk/options/options.ts"
import type { PermissionMode, PermissionUpdate } from "../schemas/sdk/options/permissions.ts"
import type { BackgroundPort } from "../tools/bash/background-port.ts"
import type { McpResources } from "../tools/mcp/resource-port.ts"
import type { Tool } from "../tools/tool.ts"
import type { PageCache } from "../tools/web/page-cache.ts"
import type { Workspace } from "../workspace/workspace.ts"
import type { CommandBook } from "./commands/command.ts"
import type { TurnEnd } from "./messages/result.ts"
import type { ResolvedAgent } from "./subagents/definition.ts"
import type { TurnMemory } from "./transcript/conversation.ts"
import type { Subagents } from "./transcript/subagents.ts"

/** The session and its conversation. */
interface TurnSession {
  readonly sessionId: string
  /** The session's options, overridden by the turn's. */
  readonly options: SessionOptions
  /** The source of the API key, as in `system/init`. */
  readonly apiKeySource: ApiKeySource
  readonly memory: TurnMemory
  now(): number
  newUuid(): string
  /** 32 hexadecimal digits for what a call starts, the same when the call is replayed. Absent when any id will do. */
  readonly idOf?: (toolUseId: string) => string
}

/** Where the turn works. */
interface TurnPlace {
  readonly workspace: Workspace
  /** The conversation's current directory, which a `cd` of the shell changes. */
  readonly cwd: string
  /** The session's own working directory. */
  readonly root: string
}

/** False for a tool of an MCP server that is in requests only so that these stay cached: a rule denies it. */
export const isCallable = ({ toolByName }: Pick<TurnTools, "toolByName">, { name, mcpServer }: Tool): boolean =>
  mcpServer === undefined || toolByName(name) !== undefined

/** The tools that it may call, and what they use. */
interface TurnTools {
  /** The tools of its requests. */
  readonly tools: ReadonlyArray<Tool>
  /** The tool that a call of that name runs, if there is one. */
  readonly toolByName: (name: string) => Tool | undefined
  /**
   * To be called before each model request. Until the next call, `toolByName` finds no tool of an MCP server that the deny rules of
   * this moment name. Absent on turns whose tools can't change.
   */
  readonly beginStep?: () => void
  readonly web: { readonly fetch: GuardedFetch; readonly pages: PageCache }
  /** The resources of the session's MCP servers; absent when calls can't read any. */
  readonly resources?: McpResources
  /** Runs commands and agents that continue after their call; absent when none may. */
  readonly background?: BackgroundPort
}

/** The connected MCP servers of one run of a subagent. */
export interface OwnServers {
  readonly names: ReadonlyArray<string>
  readonly tools: ReadonlyArray<Tool>
  /** The permission rules for their tools that their configurations contain. */
  readonly allow: ReadonlyArray<string>
  readonly ask: ReadonlyArray<string>
  readonly failed: ReadonlyArray<{ readonly name: string; readonly error: string }>
  close(): void
}

/** Connects the MCP servers that an agent's definition itself configures. */
export interface AgentServers {
  /** `names` are the servers that the definition had when the run started. */
  connect(agent: string, names: ReadonlyArray<string>): Effect.Effect<OwnServers>
}

/** The subagents of the session. */
interface TurnAgents {
  /** The running ones, and how the others ended. */
  readonly subagents: Subagents
  /** The subagents that a call can start, sorted by name. */
  readonly agents: ReadonlyArray<ResolvedAgent>
  /** Connects the agents' own MCP servers; absent when no agent can be started. */
  readonly agentServers?: AgentServers
}

/** A change of the session: the messages for clients, and the change itself, for one transaction. */
interface TurnChange {
  readonly events: ReadonlyArray<NewEvent>
  readonly commit: () => void
}

/** How it changes the session. */
interface TurnChanges {
  /** The mode before plan mode. */
  modeBeforePlan(): PermissionMode
  changeMode(mode: PermissionMode): TurnChange
  /** Applies the permission updates of a hook's answer. */
  changePermissions(updates: ReadonlyArray<PermissionUpdate>): TurnChange
  /** The session's title; null if it has none. */
  sessionTitle(): string | null
  /** Gives the session a title. */
  changeTitle(title: string): TurnChange
}

/** What a turn shares with its session. */
export interface SessionSide extends TurnSession, TurnPlace, TurnTools, TurnAgents, TurnChanges {}

/** What the turn answers. */
interface TurnPrompt {
  readonly id: string
  readonly prompt: TurnQueued["prompt"]
  /** The uuids that senders gave to the turn's prompts; the messages that answer a prompt name it by its uuid. */
  readonly promptUuids: ReadonlyArray<string>
  /** The prompt's echo to clients; empty unless they want it. */
  readonly echo: () => ReadonlyArray<NewEvent>
  /** The origin of a prompt that Perch itself made. */
  readonly origin: TurnQueued["origin"] | { readonly kind: "unclassified" | "human" }
  /** True when the turn first continues a call that a hook deferred, before its own prompt starts. */
  readonly continuesDeferredCall: boolean
  /** True when the prompt is only context for the next one (`shouldQuery: false`): no model request is made. */
  readonly needsNoAnswer: boolean
  /** The source for SessionStart hooks in the first turn of a session, and after a resume or fork; null in all other turns. */
  readonly startSource: "startup" | "resume" | null
  /** Notices for clients about settings that are not in effect. */
  readonly settingsNotices: () => ReadonlyArray<string>
  /** Notices for clients about the project's files, due at the turn's start. */
  readonly projectNotices: () => ReadonlyArray<string>
}

/** This part of a turn that answers no prompt: of an agent in the background, or of a client's own tool call. */
export const NO_PROMPT: Omit<TurnPrompt, "id"> = {
  prompt: "",
  promptUuids: [],
  echo: () => [],
  origin: undefined,
  continuesDeferredCall: false,
  needsNoAnswer: false,
  startSource: null,
  settingsNotices: () => [],
  projectNotices: () => [],
}

/** What it may do and spend. */
interface TurnReach {
  /** The current permission policy: answers to asks may change it while the turn runs. */
  policy(): Policy
  /** The slash commands that a prompt may call. */
  readonly commands: CommandBook
  /** The MCP servers whose tools the turn has, as `system/init` lists them. */
  readonly mcpServers: ReadonlyArray<{ readonly name: string; readonly status: string; readonly source?: string }>
  /** True when agents of the conversation run in the background unless their call or definition says otherwise. */
  readonly agentsInBackground: boolean
  /** The progress text of the session's app; absent when the turn is no routed run. */
  readonly progress?: () => string
  /** `maxBudgetUsd` of the session, which may change while the turn runs, and of the turn's own options, in USD: both apply. */
  budgets(): { readonly session?: number; readonly turn?: number }
  /** What has been spent of them in USD, including requests of subagents. */
  spent(): { readonly session: number; readonly turn: number }
}

/** The runner that runs the turn, and what stops it. */
interface TurnProcess {
  readonly run: {
    /** Counts a finished step; true when the turn must continue in another invocation of its object. */
    countStep(): boolean
    /** True when the turn was resumed several times without an event of progress. */
    readonly isStuck: boolean
    /** By hook event: the ordinal of the last one in the turn that was fired without a call. */
    readonly lastFired: Map<string, number>
    /** By call of the answer that is handled: the files that it has used, as far as their instructions are to be loaded. */
    readonly usedFiles: Map<string, ReadonlyArray<string>>
  }
  /** Aborts when the turn is interrupted. */
  readonly signal: AbortSignal
  /** Why the turn can't run: it ends with this error. */
  readonly fault?: string
}

/** The runner's part of a turn that has not fired a hook yet and is not resumed. */
export const freshRun = (countStep: () => boolean = () => false): TurnProcess["run"] => ({
  countStep,
  isStuck: false,
  lastFired: new Map(),
  usedFiles: new Map(),
})

/** A prompt that arrived while calls ran: its events, of which `turn:joined` adds it to the conversation. */
export interface JoiningPrompt {
  readonly prompt: TurnQueued["prompt"]
  /** As of a turn; no hook is called for such a prompt. */
  readonly needsNoAnswer: boolean
  readonly events: ReadonlyArray<NewEvent>
  /** Its last state, which is due at once if a hook refuses it, and otherwise at the end of the turn. */
  readonly ended: ReadonlyArray<NewEvent>
  readonly join: () => void
}

/** The prompts that wait for it. */
interface TurnQueue {
  /** Prompts that arrived while calls ran and become part of this turn: call `join` in the transaction of their events. */
  joining(): ReadonlyArray<JoiningPrompt>
  /** True when a prompt that waits ends this turn: it runs next. */
  isReplaced(): boolean
  /** True for a turn that has not begun, and that another one was put before: it starts again afterwards. */
  isPostponed(): boolean
  /** The number of clients' prompts that wait for this turn to end. */
  waiting(): number
}

/** The queue of a turn that no prompt waits for. */
export const NO_QUEUE: TurnQueue = {
  joining: () => [],
  isReplaced: () => false,
  isPostponed: () => false,
  waiting: () => 0,
}

/** Where the prompt of a turn is sent. */
export interface PromptReach {
  /** False when it is not sent to a model. */
  readonly sendsPrompt: boolean
  /** The model of the turn, if another one was set for the session meanwhile. */
  readonly model?: string
  /**
   * Called when the turn's first events are appended, before the echo of its prompt for clients. Returns whether that is appended
   * `now`, or `later` by the compaction that precedes the first request.
   */
  readonly beforeEcho?: () => "now" | "later"
}

/** How its first and last events are written. */
interface TurnRecord {
  /** Appends messages for clients before the turn's first events, and marks its prompt as started. */
  announce(events: ReadonlyArray<NewEvent>): Effect.Effect<void>
  /** Appends the turn's first events. */
  begin(events: ReadonlyArray<NewEvent>, reach?: PromptReach): Effect.Effect<void>
  /**
   * Appends the turn's last events, then its result, and ends its row in the inbox, in one transaction. The result is
   * made after the events have been counted.
   */
  finish(events: ReadonlyArray<NewEvent>, end: TurnEnd): Effect.Effect<void>
}

/** What a turn has for itself. */
export interface OwnSide extends TurnPrompt, TurnReach, TurnProcess, TurnQueue, TurnRecord {}
