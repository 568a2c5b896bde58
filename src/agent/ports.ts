// What the loop needs of a session: its log, its open questions, its ledger of outside effects, its facts.
// The session implements these; tests implement them in memory.
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
    /** Writes the events, and `change` with them, in one transaction; then sends them to listeners. */
    append(events: ReadonlyArray<NewEvent>, change?: (written: ReadonlyArray<LogEvent>) => void): Effect.Effect<void>
    /** Sends to listeners without writing. */
    emit(event: EphemeralEvent): void
    /** The next model request is about to be sent: what listeners wait for is sent a moment later. */
    beforeModelRequest(): void
    /** Sends clients now what was emitted: behind an append it would wait until that is committed. */
    sendEmitted(): void
    /** True when a client subscribes to the stream events of the turn that runs. */
    wantsPartials(): boolean
    /** True when any client listens. */
    hasListeners(): boolean
  }
>()("perch/agent/log") {}

/** How an ask was answered, as `ask:settled` holds it. */
export interface AskAnswer {
  /** `failure`: the client that was asked answered with an error, or with what is no answer. */
  readonly by: "client" | "hook" | "expiry" | "interrupt" | "failure"
  readonly answer: Readonly<Record<string, unknown>>
  /** The same in opencode's terms, and the approvals that it saved. */
  readonly reply?: "once" | "always" | "reject"
  readonly saved?: ReadonlyArray<SavedApproval>
}

export class Asks extends Context.Service<
  Asks,
  {
    /**
     * The ask about a tool call that was opened, with its answer if it has one; or (`client_tool`) the one for its result,
     * or (`outcome`) the last one for what came of it.
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
    /** Answers in the place of a client; what was answered first holds. */
    settle(requestId: string, answer: AskAnswer): Effect.Effect<void>
  }
>()("perch/agent/asks") {}

/** The hooks of the session: callbacks of its clients, and addresses that it calls itself. */
export class Hooks extends Context.Service<
  Hooks,
  {
    /** True when some hook is registered for the event. */
    listens(event: HookEventName): boolean
    /** Calls the hooks that match, and returns their common outcome. Never fails. */
    run(
      event: HookEventName,
      input: Readonly<Record<string, unknown>>,
      toolUseId?: string,
      /** What the event is known by after a restart, where its turn counts no such events. */
      place?: string,
    ): Effect.Effect<HookOutcome>
  }
>()("perch/agent/hooks") {}

/** Calls with effects outside the session are written ahead, so that no crash runs them twice. */
export class ToolLedger extends Context.Service<
  ToolLedger,
  {
    wasStarted(toolUseId: string): boolean
    /** When the call was begun, the last time if it was run again; milliseconds since 1970. */
    startedAt(toolUseId: string): number
    /** Later than `after` (milliseconds since 1970), and than any run before. */
    start(toolUseId: string, tool: string, after?: number): Effect.Effect<void>
    /** Marks the call settled; to be called inside the transaction of its result. */
    settle(toolUseId: string): void
  }
>()("perch/agent/tool-ledger") {}

/** What a tool call needs. */
export type CallServices = Log | Asks | Hooks | ToolLedger | TurnContext | MessagesApi

/** The MCP servers of one run of a subagent, connected. */
export interface OwnServers {
  readonly names: ReadonlyArray<string>
  readonly tools: ReadonlyArray<Tool>
  /** What their configurations say of their tools, as permission rules. */
  readonly allow: ReadonlyArray<string>
  readonly ask: ReadonlyArray<string>
  readonly failed: ReadonlyArray<{ readonly name: string; readonly error: string }>
  close(): void
}

/** Connects the MCP servers that an agent's definition has of its own. */
export interface AgentServers {
  /** `names` are those that the definition had when the run began. */
  connect(agent: string, names: ReadonlyArray<string>): Effect.Effect<OwnServers>
}

/** A prompt that came while calls ran: its events, of which `turn:joined` adds it to the conversation. */
export interface JoiningPrompt {
  readonly prompt: TurnQueued["prompt"]
  /** It asks nothing: no hook is called for it. */
  readonly silent: boolean
  readonly events: ReadonlyArray<NewEvent>
  readonly join: () => void
}

/** The running turn: what a step, a call and a hook need to know of it. */
export type Turn = (typeof TurnContext)["Service"]

export class TurnContext extends Context.Service<
  TurnContext,
  {
    readonly sessionId: string
    readonly id: string
    /** The directory of the conversation: another one after each `cd` of the shell. */
    readonly cwd: string
    /** The session's own working directory. */
    readonly root: string
    readonly prompt: TurnQueued["prompt"]
    /** Names that senders gave to the turn's prompts: what answers them says so. */
    readonly named: ReadonlyArray<string>
    /** What a prompt of Perch's own is about. */
    readonly origin: TurnQueued["origin"] | { readonly kind: "unclassified" }
    /** The resources of the session's MCP servers; absent where calls have none. */
    readonly resources?: McpResources
    /** What the session's app has written as its progress; absent where the turn is no routed run. */
    readonly progress?: () => string
    /** Commands that go on after their call; absent where none may. */
    readonly background?: BackgroundPort
    /** Goes on with a call that a hook deferred, before its own prompt begins. */
    readonly continues: boolean
    /** Context for the next prompt: the model is not asked. */
    readonly silent: boolean
    /** The session's options with those of the turn over them. */
    readonly options: SessionOptions
    /** `maxBudgetUsd` as the session has it, and as the turn's own options have it: both hold. */
    readonly budgets: { readonly session?: number; readonly turn?: number }
    /** What has been spent of them, the requests of subagents included. */
    spent(): { readonly session: number; readonly turn: number }
    readonly memory: TurnMemory
    /** The subagents of the session: those that run, and how the others ended. */
    readonly subagents: Subagents
    /** Agents of the conversation run in the background unless their call or definition says otherwise. */
    readonly agentsInBackground: boolean
    /** Set where the turn is the run of a subagent. */
    readonly agent?: AgentIdentity
    readonly workspace: Workspace
    readonly web: { readonly fetch: GuardedFetch; readonly pages: PageCache }
    readonly tools: ReadonlyArray<Tool>
    readonly toolByName: (name: string) => Tool | undefined
    /** The subagents that a call can start, sorted by name. */
    readonly agents: ReadonlyArray<ResolvedAgent>
    /** Their own MCP servers; absent where no agent can begin. */
    readonly agentServers?: AgentServers
    /** The slash commands that a prompt may call. */
    readonly commands: CommandBook
    /** Set when this turn begins the session in this life: why it does. */
    readonly first: "startup" | "resume" | "fork" | null
    /** Where answers come from, as `system/init` names it. */
    readonly apiKeySource: ApiKeySource
    /** The runner that carries the turn. */
    readonly run: {
      /** Counts a step that has ended: true when the turn must go on in another invocation of its object. */
      mustHandOver(): boolean
      /** The turn was taken up again and again without an event of progress. */
      readonly stuck: boolean
    }
    /** Why it can't be carried out: it ends with this error. */
    readonly fault?: string
    /** Aborts when the turn is interrupted. */
    readonly signal: AbortSignal
    /** The policy at this moment: answers may change it while the turn runs. */
    policy(): Policy
    /** The mode that held before plan mode. */
    modeBeforePlan(): PermissionMode
    /** Another mode from now on: the messages for clients, and the change itself, for one transaction. */
    changeMode(mode: PermissionMode): { readonly events: ReadonlyArray<NewEvent>; readonly commit: () => void }
    /** The same for what the answer of a hook changes of the session's permissions. */
    changePermissions(updates: ReadonlyArray<PermissionUpdate>): {
      readonly events: ReadonlyArray<NewEvent>
      readonly commit: () => void
    }
    now(): number
    newUuid(): string
    /** 32 hexadecimal digits for what a call begins: the same when the call is played again. Absent where any will do. */
    readonly idOf?: (toolUseId: string) => string
    /** What clients are sent about the project's files when the turn begins. */
    readonly projectNotices: () => ReadonlyArray<string>
    /** Facts of servers whose tools the turn has, as `system/init` lists them. */
    readonly mcpServers: ReadonlyArray<{ readonly name: string; readonly status: string; readonly source?: string }>
    /** Prompts that came while calls ran and become part of this turn: call `join` in the transaction that says so. */
    joining(): ReadonlyArray<JoiningPrompt>
    /** Prompts of clients that wait for this turn to end. */
    waiting(): number
    /** Writes what clients get while the turn's first events are still to come, and that its prompt is started. */
    announce(events: ReadonlyArray<NewEvent>): Effect.Effect<void>
    /** Writes the turn's first events. `asks` is false when its prompt goes no further, and no model is asked. */
    begin(events: ReadonlyArray<NewEvent>, reach?: { readonly asks: boolean }): Effect.Effect<void>
    /**
     * Writes the turn's last events, then its result, and takes its prompt out of the inbox, in one transaction. The
     * result is made after the events have been counted.
     */
    finish(events: ReadonlyArray<NewEvent>, end: TurnEnd): Effect.Effect<void>
  }
>()("perch/agent/turn-context") {}
