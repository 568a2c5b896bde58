// What the loop needs from a session: its log, its asks, its hooks, its ledger of calls with outside effects, its turn (whose
// parts are in turn-parts.ts).
// The session implements these ports; tests implement them in memory.
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { MessagesApi } from "../model/messages-api.ts"
import type { FiredHookEvent } from "../schemas/sdk/status/hook-status.ts"
import type { HookOutcome } from "../hooks/outcome.ts"
import type { SavedApproval } from "../schemas/permissions-saved.ts"
import type { AskOpened } from "../schemas/log/ask-events.ts"
import type { EphemeralEvent, LogEvent, NewEvent } from "../schemas/log/events.ts"
import type { AgentIdentity } from "./subagents/identity.ts"
import type { OwnSide, SessionSide } from "./turn-parts.ts"

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
    listens(event: FiredHookEvent): boolean
    /** Calls the matching hooks, and returns their merged outcome. Never fails. */
    run(
      event: FiredHookEvent,
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

/** The running turn: what a step, a call and a hook need to know about it. */
export interface Turn extends SessionSide, OwnSide {
  /** Set when the turn is the run of a subagent. */
  readonly agent?: AgentIdentity
}

/** The turn with other values for some properties; the others are read from it at each access, and not copied. */
export const turnWith = <T extends Turn>(turn: T, own: Partial<Turn>): T =>
  Object.create(turn, Object.getOwnPropertyDescriptors(own)) as T // its prototype has all other properties

export class TurnContext extends Context.Service<TurnContext, Turn>()("perch/agent/turn-context") {}
