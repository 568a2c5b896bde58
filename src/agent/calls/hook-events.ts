// Receives what happened in a turn; calls the hooks of the event and returns what they said, with the events to log.
// Invariant: every hook event is in the log once, as `hook:fired`, with the outcome that the turn acts on.
import { Effect } from "effect"
import { hookFired, type HookEventName } from "../../hooks/inputs.ts"
import { encodeOutcome, type HookOutcome, NO_HOOKS } from "../../hooks/outcome.ts"
import type { HookFired } from "../../schemas/log/event-payloads.ts"
import type { NewEvent } from "../../schemas/log/events.ts"
import { Hooks, TurnContext, type Turn } from "../ports.ts"
import type { Tool } from "../../tools/tool.ts"
import { type Stamp, type SystemFields, systemMessage } from "../messages/sdk-messages.ts"
import type { ToolUse } from "../transcript/transcript.ts"

export interface Fired {
  readonly outcome: HookOutcome
  /** To be appended: the event, then what hooks wanted said to clients. */
  readonly events: ReadonlyArray<NewEvent>
  /** How many of the events, from the end, are messages of the hooks to clients. */
  readonly clientMessageCount: number
}

export const stamp = (turn: Turn): Stamp => ({
  sessionId: turn.sessionId,
  turn: turn.id,
  uuid: turn.newUuid(),
  at: turn.now(),
  named: turn.named,
})

/** Events whose input does not tell the permission mode. */
const MODELESS: ReadonlySet<HookEventName> = new Set([
  "StopFailure",
  "Notification",
  "MessageDisplay",
  "SessionStart",
  "SessionEnd",
  "TaskCreated",
  "TaskCompleted",
])

/** A hook event of the running turn, without its outcome. */
export const hook = (
  turn: Turn,
  name: HookEventName,
  extra: Readonly<Record<string, unknown>>,
): NewEvent<"hook:fired"> =>
  hookFired(
    {
      sessionId: turn.sessionId,
      cwd: turn.cwd,
      turn: turn.id,
      ...(MODELESS.has(name) ? {} : { permissionMode: turn.policy().mode }),
    },
    turn.newUuid(),
    name,
    extra,
  )

/** Calls the hooks of an event; without any it costs nothing. `record` goes into the log and not to the hooks. */
export const fire = (
  name: HookEventName,
  extra: Readonly<Record<string, unknown>>,
  toolUseId?: string,
  record: Pick<HookFired, "schema_fingerprint"> = {},
): Effect.Effect<Fired, never, Hooks | TurnContext> =>
  Effect.flatMap(Hooks, (hooks) =>
    Effect.flatMap(TurnContext, (turn) => {
      const made = hook(turn, name, extra)
      const event = { ...made, payload: { ...made.payload, ...record } }
      if (!hooks.listens(name)) return Effect.succeed({ outcome: NO_HOOKS, events: [event], clientMessageCount: 0 })
      const { payload } = event
      return Effect.map(hooks.run(name, payload.input, toolUseId), (outcome) => {
        const said = words(turn, name, label(name, extra), outcome)
        const fired = { ...event, payload: { ...payload, outcome: encodeOutcome(outcome) } }
        const events = [fired, ...failed(turn, label(name, extra), outcome), ...said]
        return { outcome, events, clientMessageCount: said.length }
      })
    }),
  )

/** What every hook of a call is told of it. */
export const hookFacts = (use: ToolUse, tool: Tool, input: unknown): Record<string, unknown> => ({
  tool_name: tool.name,
  tool_input: input,
  tool_use_id: use.id,
  ...(tool.mcpServer === undefined ? {} : { mcp_server: tool.mcpServer }),
})

/** What PostToolBatch hooks are told: the calls of an answer, in the order in which the model made them. */
export const batchFacts = (turn: Turn): Record<string, unknown> => {
  const results = turn.memory.accounting.tally?.batch ?? []
  const order = results.length > 1 ? turn.memory.transcript.callOrder() : []
  const calls = [...results]
    .sort((one, other) => order.indexOf(one.id) - order.indexOf(other.id))
    .map(({ id, content }) => {
      const use = turn.memory.transcript.toolUse(id)
      return { tool_name: use?.name ?? "", tool_input: use?.input ?? {}, tool_use_id: id, tool_response: content }
    })
  return { tool_calls: calls }
}

/** `PreToolUse:Write`, or the event alone where no tool is concerned. */
const label = (name: HookEventName, extra: Readonly<Record<string, unknown>>): string =>
  typeof extra["tool_name"] === "string" ? `${name}:${extra["tool_name"]}` : name

/** As the official SDK: what hooks of a question say reaches no one, and of those that are late only Stop hooks are told of. */
const words = (
  turn: Turn,
  name: HookEventName,
  of: string,
  { systemMessages, failures }: HookOutcome,
): ReadonlyArray<NewEvent> => {
  const late = name === "Stop" && failures.some(({ kind }) => kind === "timeout")
  const said = name === "PermissionRequest" ? [] : systemMessages
  return [...said, ...(late ? ["a hook did not answer in time, so the turn ended without it."] : [])].map((text) =>
    informational(turn, `${of} says: ${text}`, { level: "notice" }),
  )
}

const failed = (turn: Turn, of: string, { failures }: HookOutcome): ReadonlyArray<NewEvent> =>
  failures
    .filter((failure) => !failure.blocks && failure.kind !== "timeout")
    .map(({ kind, asks }) => {
      const meaning = asks === true ? "a person is asked in its place" : "it counts for nothing"
      const text = `${of} hook gave no answer that can be used (${kind}); ${meaning}.`
      return informational(turn, text, { level: "warning", tag: "hook_callback_failed" })
    })

/** A line for the people who watch; the model does not see it. */
export const informational = (
  turn: Turn,
  content: string,
  fields: Omit<SystemFields<"informational">, "content"> & { readonly prompt_submit_outcome?: unknown },
): NewEvent => systemMessage(stamp(turn), "informational", { content, ...fields })
