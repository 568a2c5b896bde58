// Receives the next prompt of the inbox; returns what the loop needs to run its turn: its ports, implemented by the session.
// Background agents use the same ports, with a turn of their own.
// Invariant: what may change while a turn runs is read from the session for each use.
import { changeTitle } from "../titles/change-title.ts"
import { variantNotices } from "../../model/request/variants.ts"
import type { MessagesApi } from "../../model/messages-api.ts"
import { modelOf } from "../../agent/step-request.ts"
import { ruleNotices, settingsNotice } from "../../permissions/rule-notices.ts"
import * as Effect from "effect/Effect"
import { Asks, type CallServices, Hooks, Log, ToolLedger, type Turn, TurnContext } from "../../agent/ports.ts"
import type { OwnSide } from "../../agent/turn-parts.ts"
import type { ApiKeySource } from "../../schemas/sdk/messages/message-values.ts"
import { agentServers } from "../mcp/agent-servers.ts"
import type { SessionOptions } from "../../schemas/sdk/options/options.ts"
import { toolsFor } from "../../tools/registry.ts"
import type { Tool } from "../../tools/tool.ts"
import type { TurnQueued } from "../../schemas/log/event-payloads.ts"
import { resultMessage } from "../../agent/messages/result.ts"
import type { InboxEntry } from "../storage/inbox.ts"
import type { SessionCore } from "../core.ts"
import { readProgress } from "../progress.ts"
import { TurnTools } from "../mcp/turn-tools.ts"

/** How long a turn waits in memory for an answer before it parks. */
const WAIT_IN_MEMORY_MS = 60_000
/** The same while other turns of the tenant may wait for this one's place, which it releases when it parks. */
const WAIT_WITH_PLACE_MS = 5_000

export interface TurnServices {
  readonly log: Log["Service"]
  readonly asks: Asks["Service"]
  readonly hooks: Hooks["Service"]
  readonly ledger: ToolLedger["Service"]
  readonly turn: Turn
}

/** The program with these services. */
export const provided =
  ({ log, asks, hooks, ledger, turn }: TurnServices) =>
  <A, E>(program: Effect.Effect<A, E, CallServices | MessagesApi>): Effect.Effect<A, E, MessagesApi> =>
    program.pipe(
      Effect.provideService(Log, log),
      Effect.provideService(Asks, asks),
      Effect.provideService(Hooks, hooks),
      Effect.provideService(ToolLedger, ledger),
      Effect.provideService(TurnContext, turn),
    )

/** What every turn of a session is run with. */
export interface TurnParts {
  readonly core: SessionCore
  readonly ledger: ToolLedger["Service"]
  readonly hooks: Hooks["Service"]
  readonly web: Turn["web"]
  readonly apiKeySource: ApiKeySource
}

export const turnServices = (
  parts: TurnParts,
  entry: InboxEntry,
  signal: AbortSignal,
  run: Turn["run"],
): TurnServices => {
  const { core, hooks, ledger } = parts
  const prompt = core.runningTurn.beginTurn(entry)
  core.project.beginTurn(entry.turn, core.runningOptions)
  return {
    log: logOf(core, entry.turn),
    asks: asksOf(core, entry.turn),
    hooks,
    ledger,
    turn: turnOf(parts, entry, prompt, { run, signal }),
  }
}

export const logOf = (core: SessionCore, turn: string): Log["Service"] => {
  const port = sessionLog(core, turn)
  return core.capture?.log(port) ?? port
}

const sessionLog = (core: SessionCore, turn: string): Log["Service"] => ({
  append: (events, change) => Effect.sync(() => core.append(events, change)),
  emit: (event) => core.feed.emit(event),
  beforeModelRequest: () => core.feed.deferFlush(),
  sendEmitted: () => core.feed.flush(),
  wantsPartials: () => core.feed.wantsPartials(turn),
  hasListeners: () => core.feed.listeners.size > 0,
})

export const asksOf = (core: SessionCore, turn: string): Asks["Service"] => {
  const port = clientAsks(core, turn)
  return core.capture?.asks(port) ?? port
}

const clientAsks = ({ asks, askStore, feed, runningTurn }: SessionCore, turn: string): Asks["Service"] => ({
  find: (toolUseId, kind) => {
    const ask = askStore.ofCall(turn, toolUseId, kind)
    if (ask === undefined) return undefined
    const { place } = ask.ask
    return {
      requestId: ask.requestId,
      answer: ask.settled,
      openedAt: ask.openedAt,
      ...(place === undefined ? {} : { place }),
    }
  },
  open: (ask, events) => Effect.sync(() => asks.open(turn, ask, events)),
  // A turn without any listener parks at once when it must ask.
  wait: (requestId) =>
    Effect.suspend(() => {
      const most = runningTurn.lane.hasPlace ? WAIT_WITH_PLACE_MS : WAIT_IN_MEMORY_MS
      return askStore.wait(requestId, feed.listeners.size === 0 ? 0 : most)
    }),
  settle: (requestId, settled) =>
    Effect.sync(() => {
      const ask = askStore.open.find((open) => open.requestId === requestId)
      if (ask !== undefined) asks.settle([ask], settled)
    }),
})

/** A turn of the session, of a prompt or of a background agent. What may change while it runs is read from the session each time. */
export const sessionTurn = (
  { core, web, apiKeySource }: TurnParts,
  options: () => SessionOptions,
  makeTools: () => ReadonlyArray<Tool>,
  own: OwnSide,
): Turn => {
  const { background, capture, context, mcp, permissions, workspace } = core
  const tools = new TurnTools(mcp, makeTools, options().toolAliases)
  return {
    ...own,
    sessionId: core.id,
    // A call of the turn may change it, and so may a client that removes the directory.
    get cwd() {
      return core.cwd
    },
    root: core.record.cwd,
    background,
    // Control requests may change the options of a turn that runs.
    get options() {
      return options()
    },
    // A transaction that is rolled back makes the session read its log again.
    get memory() {
      return core.memory
    },
    get subagents() {
      return core.memory.subagents
    },
    workspace,
    web,
    resources: mcp.resources,
    get tools() {
      return tools.all
    },
    toolByName: tools.named,
    beginStep: () => tools.beginStep(permissions.policy().rules.deny),
    get agents() {
      return core.definitions.agents
    },
    agentServers: agentServers(core, options),
    apiKeySource,
    modeBeforePlan: () => permissions.modeBeforePlan,
    changeMode: (mode) => permissions.modeChange(own.id, mode),
    changePermissions: (updates) => permissions.change(own.id, updates),
    sessionTitle: () => core.record.title,
    changeTitle: (title) => changeTitle(core, own.id, title),
    now: core.steadyNow,
    newUuid: context.newUuid,
    ...(capture === null ? {} : { idOf: capture.idOf }),
  }
}

/** The turn of a prompt as the loop sees it. */
const turnOf = (
  parts: TurnParts,
  entry: InboxEntry,
  queued: TurnQueued,
  { run, signal }: Pick<Turn, "run" | "signal">,
): Turn => {
  const { turn } = entry
  const { prompt, continues, silent, synthetic, human, origin } = queued
  const { core } = parts
  const { permissions, prompts, resumption, runningTurn } = core
  const { servers } = runningTurn.routing
  const fault = runningTurn.runs.faultOf(turn)
  const makeTools = () => toolsFor(core.runningOptions, runningTurn.routing.servers.tools, core.definitions.agents)
  const self: Turn = sessionTurn(parts, () => core.runningOptions, makeTools, {
    id: turn,
    prompt,
    promptUuids: runningTurn.acknowledged(entry),
    origin: synthetic === true ? { kind: "unclassified" } : human === true ? { kind: "human" } : origin,
    agentsInBackground: runsAgentsInBackground(core, queued),
    continuesDeferredCall: continues === true,
    needsNoAnswer: silent === true,
    budgets: () => runningTurn.budgets,
    spent: () => core.memory.accounting.spent,
    ...(servers.bridged ? { progress: () => readProgress(core).text } : {}),
    commands: core.commands.announce(),
    settingsNotice: () => settingsNotice(core.runningOptions),
    projectNotices: () => [
      ...core.project.notices(core.runningOptions),
      ...core.skillHooks.notices(),
      ...ruleNotices(core.runningOptions),
      ...variantNotices(core.runningOptions.variant, modelOf(core.runningOptions)),
    ],
    mcpServers: servers.facts,
    joining: () => prompts.joining(turn),
    isReplaced: () => core.inbox.head()?.turn === turn && core.inbox.isReplaced,
    isPostponed: () => core.inbox.head()?.turn !== turn,
    waiting: () => prompts.waitingBehind(turn),
    startSource: resumption.starting,
    run,
    signal,
    ...(fault === undefined ? {} : { fault }),
    policy: () => permissions.policy(),
    announce: (events) => Effect.sync(() => runningTurn.announce(entry, events)),
    begin: (events, reach) => Effect.sync(() => runningTurn.writeStart(entry, events, reach)),
    echo: () => runningTurn.promptEcho(entry),
    finish: (events, ended) =>
      Effect.sync(() => {
        const end = core.capture?.endOf(ended) ?? ended
        const nextRunChange = runningTurn.routing.fallBack(self, end)
        // The runner starts the turn again, with the options of the other agent.
        if (nextRunChange !== null) return core.append([...events, ...nextRunChange])
        const result = () => resultMessage(self, end, runningTurn.routing.resultField(self, end))
        return runningTurn.writeEnd(entry, events, result)
      }),
  })
  return self
}

/**
 * Whether agents of the turn run in the background unless their call says otherwise. As the official SDK: clients of the
 * control protocol get an agent's end in another turn; a request over REST has only one turn.
 */
const runsAgentsInBackground = ({ clients }: SessionCore, { mayJoin, origin }: TurnQueued): boolean =>
  origin === undefined ? mayJoin === true : clients.registration.client !== null
