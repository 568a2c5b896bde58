// What the loop needs of a session: its log, its open questions, its ledger of outside effects, its facts.
// The session implements these; tests implement them in memory.
import { Context, type Effect } from "effect"
import type { Policy } from "../permissions/policy.ts"
import type { AskOpened, EphemeralEvent, LogEvent, NewEvent } from "../schemas/events.ts"
import type { SessionOptions } from "../schemas/sdk/options.ts"
import type { Tool } from "../tools/tool.ts"
import type { Workspace } from "../workspace/workspace.ts"
import type { SessionMemory } from "./memory.ts"

export class Log extends Context.Service<
  Log,
  {
    /** Writes the events, and `change` with them, in one transaction; then tells whoever listens. */
    append(events: ReadonlyArray<NewEvent>, change?: (written: ReadonlyArray<LogEvent>) => void): Effect.Effect<void>
    /** Tells listeners without writing. */
    emit(event: EphemeralEvent): Effect.Effect<void>
    /** True when someone wants the stream events of the turn that runs. */
    wantsPartials(): boolean
  }
>()("perch/agent/log") {}

/** How an ask was answered, as `ask:settled` holds it. */
export interface AskAnswer {
  readonly by: "client" | "expiry" | "interrupt"
  readonly answer: Readonly<Record<string, unknown>>
}

export class Asks extends Context.Service<
  Asks,
  {
    /** The ask that was opened for a tool call, with its answer if it has one. */
    find(toolUseId: string): { readonly requestId: string; readonly answer: AskAnswer | null } | undefined
    /** Opens an ask together with the events that announce it. */
    open(ask: Omit<AskOpened, "expires_at">, events: ReadonlyArray<NewEvent>): Effect.Effect<void>
    /** The answer, or null when nobody is there to wait for: the turn then parks. */
    wait(requestId: string): Effect.Effect<AskAnswer | null>
  }
>()("perch/agent/asks") {}

/** Calls with effects outside the session are written ahead, so that no crash runs them twice. */
export class ToolLedger extends Context.Service<
  ToolLedger,
  {
    wasStarted(toolUseId: string): boolean
    start(toolUseId: string, tool: string): Effect.Effect<void>
    /** Marks the call settled; to be called inside the transaction of its result. */
    settle(toolUseId: string): void
  }
>()("perch/agent/tool-ledger") {}

export class TurnContext extends Context.Service<
  TurnContext,
  {
    readonly sessionId: string
    readonly turn: string
    readonly cwd: string
    readonly prompt: string | ReadonlyArray<Readonly<Record<string, unknown>>>
    /** The session's options with those of the turn over them. */
    readonly options: SessionOptions
    readonly memory: SessionMemory
    readonly workspace: Workspace
    readonly tools: ReadonlyArray<Tool>
    readonly toolByName: (name: string) => Tool | undefined
    /** True when this is the session's first turn. */
    readonly first: boolean
    /** Where answers come from, as `system/init` names it. */
    readonly apiKeySource: string
    /** Aborts when the turn is interrupted. */
    readonly signal: AbortSignal
    /** The policy at this moment: answers may change it while the turn runs. */
    policy(): Policy
    now(): number
    newUuid(): string
    /** Writes the turn's first events. */
    begin(events: ReadonlyArray<NewEvent>): Effect.Effect<void>
    /**
     * Writes the turn's last events, then its result, and takes its prompt out of the inbox, in one transaction. The
     * result is made after the events have been counted.
     */
    finish(events: ReadonlyArray<NewEvent>, result: () => NewEvent): Effect.Effect<void>
  }
>()("perch/agent/turn-context") {}
