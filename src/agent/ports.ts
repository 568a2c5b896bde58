// What the loop needs from a session: its log, its asks, its hooks, its ledger of calls with outside effects, its turn.
// The session implements these ports; tests implement them in memory.
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { MessagesApi } from "../model/messages-api.ts"
import type { GuardedFetch } from "../net/guarded-fetch.ts"
import type { Policy } from "../permissions/policy.ts"
import type { HookEventName } from "../hooks/inputs.ts"
import type { HookOutcome } from "../hooks/outcome.ts"
import type { SavedApproval } from "../schemas/permissions-saved.ts"
import type { AskOpened } from "../schemas/log/ask-events.ts"
import type { TurnQueued } from "../schemas/log/event-payloads.ts"
import type { EphemeralEvent, LogEvent, NewEvent } from "../schemas/log/events.ts"
import type { SessionOptions } from "../schemas/sdk/options/options.ts"
import type { ApiKeySource } from "../schemas/sdk/messages/message-values.ts"
import type { PermissionMode, PermissionUpdate } from "../schemas/sdk/options/permissions.ts"
import type { PageCache } from "../tools/web/page-cache.ts"
import type { BackgroundPort } from "../tools/bash/background-port.ts"
import type { McpResources } from "../tools/mcp/resource-port.ts"
import type { Tool } from "../tools/tool.ts"
import type { Workspace } from "../workspace/workspace.ts"
import type { ResolvedAgent } from "./subagents/definition.ts"
import type { TurnEnd } from "./messages/result.ts"
import type { AgentIdentity } from "./subagents/identity.ts"
import type { Subagents } from "./transcript/subagents.ts"
import type { TurnMemory } from "./transcript/conversation.ts"
import type { CommandBook } from "./commands/command.ts"

export class Log extends Context.Service<
  Log,
  {
    /** Appends the events and applies `change` in one transaction; then sends the events to listeners. */
    append(events: ReadonlyArray<NewEvent>, change?: (written: ReadonlyArray<LogEvent>) => void): Effect.Effect<void>
    /** Sends an event to listeners without appending it. */
    emit(event: EphemeralEvent): void
    /** To be called just before a model request is sent: postpones what is to be sent to listeners until after it. */
    beforeModelRequest(): void
    /** Sends emitted events to clients now; after an append they would wait for its commit. */
    sendEmitted(): void
    /** True when a client subscribes to the running turn's stream events. */
    wantsPartials(): boolean
    /** True when any client listens. */
    hasListeners(): boolean
  }
>()("perch/agent/log") {}

/** How an ask was answered, as in `ask:settled`. */
export interface AskAnswer {
  /** `failure`: the client answered with an error, or with something that is no valid answer. */
  readonly by: "client" | "hook" | "expiry" | "interrupt" | "failure"
  readonly answer: Readonly<Record<string, unknown>>
  /** The answer in opencode's terms, and the approvals that it saved. */
  readonly reply?: "once" | "always" | "reject"
  readonly saved?: ReadonlyArray<SavedApproval>
}

export class Asks extends Context.Service<
  Asks,
  {
    /**
     * The ask that was opened about a tool call, with its answer if it has one; or (`client_tool`) the ask for its result, or
     * (`outcome`) the last ask about its unknown outcome.
     */
    find(
      toolUseId: string,
      kind?: "client_tool" | "outcome",
    ):
      | {
          readonly requestId: string
          readonly answer: AskAnswer | null
          readonly place?: string
          /** Milliseconds since 1970. */
          readonly openedAt: number
        }
      | undefined
    /** Opens an ask together with the events that announce it. */
    open(ask: Omit<AskOpened, "expires_at">, events: ReadonlyArray<NewEvent>): Effect.Effect<void>
    /** The answer, or null when no client listens: the turn then parks. */
    wait(requestId: string): Effect.Effect<AskAnswer | null>
    /** Answers instead of a client; the first answer counts. */
    settle(requestId: string, answer: AskAnswer): Effect.Effect<void>
  }
>()("perch/agent/asks") {}

/** The hooks of the session: callbacks of its clients, and URLs that it calls itself. */
export class Hooks extends Context.Service<
  Hooks,
  {
    /** True when any hook is registered for the event. */
    listens(event: HookEventName): boolean
    /** Calls the matching hooks, and returns their merged outcome. Never fails. */
    run(
      event: HookEventName,
      input: Readonly<Record<string, unknown>>,
      toolUseId?: string,
      /** Identifies the event in its turn, also after a restart. */
      place?: string,
    ): Effect.Effect<HookOutcome>
  }
>()("perch/agent/hooks") {}

/** Records calls with effects outside the session before they run, so that no crash runs them twice. */
export class ToolLedger extends Context.Service<
  ToolLedger,
  {
    wasStarted(toolUseId: string): boolean
    /** When the call was last started, in milliseconds since 1970. */
    startedAt(toolUseId: string): number
    /** Records a start, at a time later than `after` (milliseconds since 1970) and than any earlier start. */
    start(toolUseId: string, tool: string, after?: number): Effect.Effect<void>
    /** Marks the call settled; to be called inside the transaction of its result. */
    settle(toolUseId: string): void
  }
>()("perch/agent/tool-ledger") {}

/** The services that a tool call needs. */
export type CallServices = Log | Asks | Hooks | ToolLedger | TurnContext | MessagesApi

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

/** A prompt that arrived while calls ran: its events, of which `turn:joined` adds it to the conversation. */
export interface JoiningPrompt {
  readonly prompt: TurnQueued["prompt"]
  /** The prompt needs no answer: no hook is called for it. */
  readonly silent: boolean
  readonly events: ReadonlyArray<NewEvent>
  readonly join: () => void
}

/** The running turn: what a step, a call and a hook need to know about it. */
export type Turn = (typeof TurnContext)["Service"]

export class TurnContext extends Context.Service<
  TurnContext,
  {
    readonly sessionId: string
    readonly id: string
    /** The conversation's current directory, which a `cd` of the shell changes. */
    readonly cwd: string
    /** The session's own working directory. */
    readonly root: string
    readonly prompt: TurnQueued["prompt"]
    /** Uuids that senders gave to the turn's prompts; the messages that answer them carry these. */
    readonly named: ReadonlyArray<string>
    /** The origin of a prompt that Perch itself made. */
    readonly origin: TurnQueued["origin"] | { readonly kind: "unclassified" }
    /** The resources of the session's MCP servers; absent when calls can't read any. */
    readonly resources?: McpResources
    /** The progress text of the session's app; absent when the turn is no routed run. */
    readonly progress?: () => string
    /** Runs commands and agents that continue after their call; absent when none may. */
    readonly background?: BackgroundPort
    /** True when the turn first continues a call that a hook deferred, before its own prompt starts. */
    readonly continues: boolean
    /** True when the prompt is only context for the next one: no model request is made. */
    readonly silent: boolean
    /** The session's options, overridden by the turn's. */
    readonly options: SessionOptions
    /** `maxBudgetUsd` of the session, and of the turn's own options, in USD: both apply. */
    readonly budgets: { readonly session?: number; readonly turn?: number }
    /** What has been spent of them in USD, including requests of subagents. */
    spent(): { readonly session: number; readonly turn: number }
    readonly memory: TurnMemory
    /** The subagents of the session: the running ones, and how the others ended. */
    readonly subagents: Subagents
    /** True when agents of the conversation run in the background unless their call or definition says otherwise. */
    readonly agentsInBackground: boolean
    /** Set when the turn is the run of a subagent. */
    readonly agent?: AgentIdentity
    readonly workspace: Workspace
    readonly web: { readonly fetch: GuardedFetch; readonly pages: PageCache }
    readonly tools: ReadonlyArray<Tool>
    readonly toolByName: (name: string) => Tool | undefined
    /** The subagents that a call can start, sorted by name. */
    readonly agents: ReadonlyArray<ResolvedAgent>
    /** Connects the agents' own MCP servers; absent when no agent can be started. */
    readonly agentServers?: AgentServers
    /** The slash commands that a prompt may call. */
    readonly commands: CommandBook
    /** Why SessionStart hooks are due, when this is the first turn after a start, or after a resume or fork (`resume`); else null. */
    readonly first: "startup" | "resume" | null
    /** The source of the API key, as in `system/init`. */
    readonly apiKeySource: ApiKeySource
    /** The runner that runs the turn. */
    readonly run: {
      /** Counts a finished step; true when the turn must continue in another invocation of its object. */
      countStep(): boolean
      /** True when the turn was resumed several times without an event of progress. */
      readonly stuck: boolean
      /** By hook event: the ordinal of the last one in the turn that was fired without a call. */
      readonly lastFired: Map<string, number>
    }
    /** Why the turn can't run: it ends with this error. */
    readonly fault?: string
    /** Aborts when the turn is interrupted. */
    readonly signal: AbortSignal
    /** The current policy: answers may change it while the turn runs. */
    policy(): Policy
    /** The mode before plan mode. */
    modeBeforePlan(): PermissionMode
    /** Changes the mode: returns the messages for clients, and the change itself, for one transaction. */
    changeMode(mode: PermissionMode): { readonly events: ReadonlyArray<NewEvent>; readonly commit: () => void }
    /** Applies the permission updates of a hook's answer in the same way. */
    changePermissions(updates: ReadonlyArray<PermissionUpdate>): {
      readonly events: ReadonlyArray<NewEvent>
      readonly commit: () => void
    }
    /** The session's title; null if it has none. */
    sessionTitle(): string | null
    /** Gives the session a title, in the same way. */
    changeTitle(title: string): { readonly events: ReadonlyArray<NewEvent>; readonly commit: () => void }
    now(): number
    newUuid(): string
    /** 32 hexadecimal digits for what a call starts, the same when the call is replayed. Absent when any id will do. */
    readonly idOf?: (toolUseId: string) => string
    /** Notices for clients about the project's files, due at the turn's start. */
    readonly projectNotices: () => ReadonlyArray<string>
    /** The MCP servers whose tools the turn has, as `system/init` lists them. */
    readonly mcpServers: ReadonlyArray<{ readonly name: string; readonly status: string; readonly source?: string }>
    /** Prompts that arrived while calls ran and become part of this turn: call `join` in the transaction of their events. */
    joining(): ReadonlyArray<JoiningPrompt>
    /** True when a prompt that waits ends this turn: it runs next. */
    isReplaced(): boolean
    /** The number of clients' prompts that wait for this turn to end. */
    waiting(): number
    /** Appends messages for clients before the turn's first events, and marks its prompt as started. */
    announce(events: ReadonlyArray<NewEvent>): Effect.Effect<void>
    /** Appends the turn's first events. `sendsPrompt` is false when its prompt is not sent to a model. */
    begin(events: ReadonlyArray<NewEvent>, reach?: { readonly sendsPrompt: boolean }): Effect.Effect<void>
    /**
     * Appends the turn's last events, then its result, and ends its row in the inbox, in one transaction. The result is
     * made after the events have been counted.
     */
    finish(events: ReadonlyArray<NewEvent>, end: TurnEnd): Effect.Effect<void>
  }
>()("perch/agent/turn-context") {}
