// Receives the next prompt of the inbox; returns what the loop needs to run its turn: the session behind the loop's ports.
import { Effect } from "effect"
import type { Asks, Hooks, Log, ToolLedger, Turn } from "../../agent/ports.ts"
import type { EphemeralEvent } from "../../schemas/log/events.ts"
import type { ApiKeySource } from "../../schemas/sdk/messages/message-values.ts"
import { toolAmong, toolsFor } from "../../tools/registry.ts"
import type { BackgroundPort } from "../../tools/bash/background-port.ts"
import type { Tool } from "../../tools/tool.ts"
import type { Workspace } from "../../workspace/workspace.ts"
import type { InboxEntry } from "../storage/inbox.ts"
import type { Session } from "../session.ts"

/** How long a turn waits in memory for an answer before it parks. */
const WAIT_IN_MEMORY_MS = 60_000

export interface TurnServices {
  readonly log: Log["Service"]
  readonly asks: Asks["Service"]
  readonly hooks: Hooks["Service"]
  readonly ledger: ToolLedger["Service"]
  readonly turn: Turn
}

export interface TurnServiceDeps {
  readonly ledger: ToolLedger["Service"]
  readonly workspace: Workspace
  readonly web: Turn["web"]
  readonly now: () => number
  readonly newUuid: () => string
  readonly apiKeySource: ApiKeySource
  readonly emit: (event: EphemeralEvent) => void
  readonly beforeModelRequest: () => void
  readonly wantsPartials: (turn: string) => boolean
  /** Clients that listen now: a turn without any parks at once when it must ask. */
  readonly listeners: () => number
  readonly hooks: Hooks["Service"]
  readonly background: BackgroundPort
  readonly mcp: {
    readonly tools: ReadonlyArray<Tool>
    readonly status: () => Turn["mcpServers"]
  }
}

export const turnServices = (
  session: Session,
  deps: TurnServiceDeps,
  entry: InboxEntry,
  signal: AbortSignal,
  run: Turn["run"],
): TurnServices => {
  const { turn } = entry
  const { prompt, continues, silent, synthetic, origin } = session.beginTurn(entry)
  const options = session.runningOptions
  const tools = toolsFor(options, deps.mcp.tools)
  return {
    log: {
      append: (events, change) => Effect.sync(() => session.append(events, change)),
      emit: deps.emit,
      beforeModelRequest: deps.beforeModelRequest,
      wantsPartials: () => deps.wantsPartials(turn),
      hasListeners: () => deps.listeners() > 0,
    },
    asks: {
      find: (toolUseId, kind) => {
        const ask = session.askStore.ofCall(turn, toolUseId, kind)
        if (ask === undefined) return undefined
        const { place } = ask.ask
        return {
          requestId: ask.requestId,
          answer: ask.settled,
          openedAt: ask.openedAt,
          ...(place === undefined ? {} : { place }),
        }
      },
      open: (ask, events) => Effect.sync(() => session.asks.open(turn, ask, events)),
      wait: (requestId) =>
        Effect.suspend(() => session.askStore.wait(requestId, deps.listeners() === 0 ? 0 : WAIT_IN_MEMORY_MS)),
      settle: (requestId, { by, answer }) =>
        Effect.sync(() => {
          const ask = session.askStore.open.find((open) => open.requestId === requestId)
          if (ask !== undefined) session.asks.settle([ask], by, answer)
        }),
    },
    hooks: deps.hooks,
    ledger: deps.ledger,
    turn: {
      sessionId: session.record.id,
      id: turn,
      // A call of the turn may change it, and so may whoever removes the directory.
      get cwd() {
        return session.cwd
      },
      root: session.record.cwd,
      prompt,
      named: session.named(entry),
      origin: synthetic === true ? { kind: "unclassified" } : origin,
      background: deps.background,
      continues: continues === true,
      silent: silent === true,
      budgets: session.budgets,
      // Control requests may change the options of a turn that runs.
      get options() {
        return session.runningOptions
      },
      // Read anew each time: a transaction that is rolled back makes the session read its log again.
      get memory() {
        return session.memory
      },
      workspace: deps.workspace,
      web: deps.web,
      tools,
      toolByName: toolAmong(tools, options.toolAliases),
      mcpServers: deps.mcp.status(),
      joining: () => session.prompts.joining(turn),
      waiting: () => session.prompts.waitingBehind(turn),
      first: session.resumption.starting,
      apiKeySource: deps.apiKeySource,
      run,
      signal,
      policy: () => session.permissions.policy(),
      modeBeforePlan: () => session.permissions.modeBeforePlan,
      changeMode: (mode) => session.permissions.modeChange(turn, mode),
      now: deps.now,
      newUuid: deps.newUuid,
      begin: (events) => Effect.sync(() => session.begin(entry, events)),
      finish: (events, result) => Effect.sync(() => session.finish(entry, events, result)),
    },
  }
}
