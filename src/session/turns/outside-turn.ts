// The loop's ports for a tool call that a client makes itself, outside any turn.
// Invariant: hooks decide as in a turn, and no person is asked: what would need permission is denied.
import { CommandBook } from "../../agent/commands/command.ts"
import * as Effect from "effect/Effect"
import type { Asks, Hooks, Log, ToolLedger, Turn } from "../../agent/ports.ts"
import type { SessionMemory } from "../../agent/transcript/projection.ts"
import { judging, policyOf } from "../../permissions/policy.ts"
import type { NewEvent } from "../../schemas/log/events.ts"
import { toolAmong } from "../../tools/registry.ts"
import type { Tool } from "../../tools/tool.ts"
import type { SessionCore } from "../core.ts"

/** A log that has no listeners: `write` takes the events of the call. */
export const directCallLog = (
  write: (events: ReadonlyArray<NewEvent>, change?: () => void) => void,
): Log["Service"] => ({
  append: (events, change) => Effect.sync(() => write(events, () => change?.([]))),
  emit: () => undefined,
  beforeModelRequest: () => undefined,
  sendEmitted: () => undefined,
  wantsPartials: () => false,
  hasListeners: () => false,
})

/** The policy denies what it would ask, so no question is ever opened. */
export const NO_ASKS: Asks["Service"] = {
  find: () => undefined,
  open: () => Effect.die(new Error("a call by a client opens no ask")),
  wait: () => Effect.succeed(null),
  settle: () => Effect.void,
}

/** Nothing runs a client's call again, so it needs no note of having begun. */
export const NO_LEDGER: ToolLedger["Service"] = {
  wasStarted: () => false,
  startedAt: () => 0,
  start: () => Effect.void,
  settle: () => undefined,
}

/** The session's hooks, with inputs that name no turn. A deferral is a refusal: nothing takes the call up later. */
export const hooksOutsideTurn = (hooks: Hooks["Service"]): Hooks["Service"] => ({
  listens: (event) => hooks.listens(event),
  run: (event, input, toolUseId, place) =>
    Effect.map(hooks.run(event, withoutTurn(input), toolUseId, place), (outcome) =>
      outcome.permission?.behavior === "defer"
        ? { ...outcome, permission: { behavior: "deny", reason: outcome.permission.reason ?? PUT_OFF } }
        : outcome,
    ),
})

const PUT_OFF = "a hook put this call off, and outside a turn nothing takes it up later"

export const withoutTurn = ({ prompt_id: _, ...input }: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  input

/** What only a turn does. */
const NO_TURN = Effect.die(new Error("a call by a client has no turn"))

interface CallSetting {
  readonly id: string
  readonly memory: SessionMemory
  readonly tools: ReadonlyArray<Tool>
  readonly web: Turn["web"]
}

const NO_COMMANDS = new CommandBook()

/** The context of a call that belongs to no turn. */
export const contextOutsideTurn = (
  { context, mcp, permissions, project, record, workspace }: SessionCore,
  { id, memory, tools, web }: CallSetting,
): Turn => ({
  sessionId: record.id,
  id,
  cwd: record.cwd,
  root: record.cwd,
  prompt: "",
  named: [],
  origin: undefined,
  // What a client calls itself adds nothing to the conversation.
  options: { ...record.options, settingSources: [] },
  memory,
  workspace,
  web,
  tools,
  resources: mcp.resources,
  toolByName: toolAmong(tools),
  first: null,
  continues: false,
  silent: false,
  budgets: {},
  spent: () => ({ session: 0, turn: 0 }),
  subagents: memory.subagents,
  commands: NO_COMMANDS,
  run: { mustHandOver: () => false, stuck: false },
  agents: [],
  agentsInBackground: false,
  projectNotices: () => [],
  mcpServers: [],
  joining: () => [],
  waiting: () => 0,
  apiKeySource: "none",
  signal: new AbortController().signal,
  policy: () => ({
    ...judging(policyOf(project.over(record.options), record.permission_updates), record.mcp_modes),
    prompts: "deny",
  }),
  modeBeforePlan: () => permissions.modeBeforePlan,
  changeMode: () => ({ events: [], commit: () => undefined }),
  changePermissions: (updates) => permissions.change(null, updates),
  now: context.now,
  newUuid: context.newUuid,
  announce: () => NO_TURN,
  begin: () => NO_TURN,
  finish: () => NO_TURN,
})
