// The loop's ports for a tool call that a client makes itself, outside any turn.
// Invariant: hooks decide as in a turn, and no person is asked: what would need permission is denied.
import { CommandBook } from "../../agent/commands/command.ts"
import * as Effect from "effect/Effect"
import type { Asks, Hooks, Log, ToolLedger, Turn } from "../../agent/ports.ts"
import { freshRun, NO_PROMPT, NO_QUEUE } from "../../agent/turn-parts.ts"
import type { SessionMemory } from "../../agent/transcript/projection.ts"
import { judging, policyOf } from "../../permissions/policy.ts"
import type { NewEvent } from "../../schemas/log/events.ts"
import { toolAmong } from "../../tools/registry.ts"
import type { Tool } from "../../tools/tool.ts"
import type { SessionCore } from "../core.ts"

/** A log without listeners: `write` receives the events of the call. */
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

/** The policy denies what it would ask, so no ask is ever opened. */
export const NO_ASKS: Asks["Service"] = {
  find: () => undefined,
  open: () => Effect.die(new Error("a call by a client opens no ask")),
  wait: () => Effect.succeed(null),
  settle: () => Effect.void,
}

/** A client's call is never run again, so its start need not be recorded. */
export const NO_LEDGER: ToolLedger["Service"] = {
  wasStarted: () => false,
  startedAt: () => 0,
  start: () => Effect.void,
  settle: () => undefined,
}

/** The session's hooks, with inputs that name no turn. A deferral becomes a denial: nothing continues the call later. */
export const hooksOutsideTurn = (hooks: Hooks["Service"]): Hooks["Service"] => ({
  listens: (event) => hooks.listens(event),
  run: (event, input, toolUseId, place) =>
    Effect.map(hooks.run(event, withoutTurn(input), toolUseId, place), (outcome) =>
      outcome.permission?.behavior === "defer"
        ? { ...outcome, permission: { behavior: "deny", reason: outcome.permission.reason ?? PUT_OFF } }
        : outcome,
    ),
})

const PUT_OFF = "a hook deferred this call, and outside a turn nothing resumes it"

export const withoutTurn = ({ prompt_id: _, ...input }: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  input

/** For operations that only a turn has. */
const NO_TURN = Effect.die(new Error("a call by a client has no turn"))

interface CallSetting {
  readonly id: string
  readonly memory: SessionMemory
  readonly tools: ReadonlyArray<Tool>
  readonly web: Turn["web"]
  readonly signal: AbortSignal
}

const NO_COMMANDS = new CommandBook()

/** The context of a call that belongs to no turn. */
export const contextOutsideTurn = (
  { context, mcp, permissions, project, record, steadyNow, workspace }: SessionCore,
  { id, memory, tools, web, signal }: CallSetting,
): Turn => ({
  sessionId: record.id,
  id,
  cwd: record.cwd,
  root: record.cwd,
  ...NO_PROMPT,
  ...NO_QUEUE,
  // A client's own call adds nothing to the conversation, so the project's files are not read for it.
  options: { ...record.options, settingSources: [] },
  memory,
  workspace,
  web,
  tools,
  resources: mcp.resources,
  toolByName: toolAmong(tools),
  budgets: () => ({}),
  spent: () => ({ session: 0, turn: 0 }),
  subagents: memory.subagents,
  commands: NO_COMMANDS,
  run: freshRun(),
  agents: [],
  agentsInBackground: false,
  mcpServers: [],
  apiKeySource: "none",
  signal,
  policy: () => ({
    ...judging(policyOf(project.withSettings(record.options), record.permission_updates), record.mcp_modes),
    prompts: "deny",
  }),
  modeBeforePlan: () => permissions.modeBeforePlan,
  changeMode: () => ({ events: [], commit: () => undefined }),
  changePermissions: (updates) => permissions.change(null, updates),
  sessionTitle: () => record.title,
  changeTitle: () => ({ events: [], commit: () => undefined }),
  now: steadyNow,
  newUuid: context.newUuid,
  announce: () => NO_TURN,
  begin: () => NO_TURN,
  finish: () => NO_TURN,
})
