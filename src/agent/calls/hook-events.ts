// Receives a hook event of a turn; calls its hooks and returns their outcome, with the events to log.
// Invariant: every hook event is in the log once, as `hook:fired`, with the outcome that the turn acts on.
import * as Effect from "effect/Effect"
import { type HookBase, hookFired } from "../../hooks/inputs.ts"
import type { FiredHookEvent } from "../../schemas/sdk/status/hook-status.ts"
import { encodeOutcome, type HookOutcome, NO_HOOKS } from "../../hooks/outcome.ts"
import type { HookFired } from "../../schemas/log/event-payloads.ts"
import type { NewEvent } from "../../schemas/log/events.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"
import { Hooks, TurnContext, type Turn } from "../ports.ts"
import { type Stamp, type SystemFields, systemMessage } from "../messages/sdk-messages.ts"
import { requestEffortOf } from "../step-request.ts"
import type { Call } from "./call.ts"
import { withShortTexts } from "./long-hook-texts.ts"

export interface Fired {
  readonly outcome: HookOutcome
  /** To be appended: `record`, then `messages`. */
  readonly events: ReadonlyArray<NewEvent>
  /** The hook event itself, and warnings about hooks that failed. */
  readonly record: ReadonlyArray<NewEvent>
  /** The hooks' messages to clients. */
  readonly messages: ReadonlyArray<NewEvent>
}

/** The facts of a turn that its messages contain. */
export type Stamped = Pick<Turn, "id" | "sessionId" | "promptUuids" | "now" | "newUuid">

export const stamp = (turn: Stamped): Stamp => ({
  sessionId: turn.sessionId,
  turn: turn.id,
  uuid: turn.newUuid(),
  at: turn.now(),
  promptUuids: turn.promptUuids,
})

/** True before the first assistant message of a turn. As the official SDK: only that one names the prompts that it answers. */
export const isFirstAnswer = ({ memory }: Pick<Turn, "memory">): boolean =>
  memory.accounting.tally?.firstMessageAt == null

/** The stamp of an assistant message. */
export const answerStamp = (turn: Stamped & Pick<Turn, "memory">, isFirst = isFirstAnswer(turn)): Stamp =>
  isFirst ? stamp(turn) : { ...stamp(turn), promptUuids: [] }

/** Events whose input has no permission mode. */
const MODELESS: ReadonlySet<FiredHookEvent> = new Set([
  "StopFailure",
  "SubagentStart",
  "Notification",
  "MessageDisplay",
  "SessionStart",
  "SessionEnd",
  "TaskCreated",
  "TaskCompleted",
  "InstructionsLoaded",
  "PreCompact",
  "PostCompact",
])

/** Events whose input has the effort of the turn's requests, as in the official SDK. */
const WITH_EFFORT: ReadonlySet<FiredHookEvent> = new Set([
  "PreToolUse",
  "PreSkillShellCommand",
  "PermissionRequest",
  "PostToolUse",
  "PostToolUseFailure",
  "PostToolBatch",
  "Stop",
  "SubagentStop",
])

const effortFor = (turn: Turn, name: FiredHookEvent): Pick<HookBase, "effort"> => {
  const effort = WITH_EFFORT.has(name) ? requestEffortOf(turn) : null
  return effort === null ? {} : { effort }
}

const agentOf = ({ agent, options }: Turn): Pick<HookBase, "agent"> => {
  if (agent !== undefined) return { agent: { id: agent.id, type: agent.type } }
  return options.agent === undefined ? {} : { agent: { type: options.agent } }
}

/** The `hook:fired` event of the running turn, without its outcome. */
export const hook = (
  turn: Turn,
  name: FiredHookEvent,
  extra: Readonly<Record<string, unknown>>,
): NewEvent<"hook:fired"> =>
  hookFired(
    {
      sessionId: turn.sessionId,
      cwd: turn.cwd,
      turn: turn.id,
      ...(MODELESS.has(name) ? {} : { permissionMode: turn.policy().mode }),
      ...effortFor(turn, name),
      ...agentOf(turn),
    },
    turn.newUuid(),
    name,
    extra,
  )

/** Calls the hooks of an event; without hooks it only makes the event. `logged` is logged, but not sent to the hooks. */
export const fire = (
  name: FiredHookEvent,
  extra: Readonly<Record<string, unknown>>,
  toolUseId?: string,
  logged: Pick<HookFired, "schema_fingerprint"> = {},
): Effect.Effect<Fired, never, Hooks | TurnContext> =>
  Effect.flatMap(Hooks, (hooks) =>
    Effect.flatMap(TurnContext, (turn) => {
      const hookEvent = hook(turn, name, extra)
      const event = { ...hookEvent, payload: { ...hookEvent.payload, ...logged } }
      if (!hooks.listens(name))
        return Effect.succeed({ outcome: NO_HOOKS, events: [event], record: [event], messages: [] })
      const { payload } = event
      const place = toolUseId ?? String(nextOrdinal(turn, name))
      return Effect.map(hooks.run(name, payload.input, toolUseId, place), (answered) => {
        const outcome = withShortTexts(
          turn,
          `${name}-${toolUseId ?? `${turn.agent?.runId ?? turn.id}-${place}`}`,
          answered,
        )
        const of = label(name, extra)
        const fired = { ...event, payload: { ...payload, outcome: encodeOutcome(outcome) } }
        const messages = clientMessages(turn, name, of, outcome)
        const record = [fired, ...warnings(turn, of, outcome)]
        return { outcome, events: [...record, ...messages], record, messages }
      })
    }),
  )

/**
 * The ordinal of a hook event in its turn. Events are counted in the log, but several may be fired before they are logged; after a
 * restart, those that are not in the log are fired again, with the same ordinals.
 */
const nextOrdinal = ({ id, agent, memory, run: { lastFired } }: Turn, name: FiredHookEvent): number => {
  const { tally } = memory.accounting
  const logged = tally !== null && (agent !== undefined || tally.turn === id) ? (tally.hookCounts.get(name) ?? 0) : 0
  const ordinal = Math.max(logged, (lastFired.get(name) ?? -1) + 1)
  lastFired.set(name, ordinal)
  return ordinal
}

/** The URL path of a subagent's events, in the input of hooks. */
export const agentTranscriptPath = (session: string, agent: string): string => `/v1/sessions/${session}/events#${agent}`

/** The fields of a call in the input of all its hooks. */
export const hookFacts = ({ use, tool, input, extra }: Call): Record<string, unknown> => ({
  tool_name: tool.name,
  tool_input: extra === undefined || !isPlainObject(input) ? input : { ...input, ...extra },
  tool_use_id: use.id,
  ...(tool.mcpServer === undefined ? {} : { mcp_server: tool.mcpServer }),
})

/** The input of PostToolBatch hooks: the calls of an answer, in the order in which the model made them. */
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

/** `PreToolUse:Write`, `SessionStart:compact`, or the event's name alone. */
const label = (name: FiredHookEvent, extra: Readonly<Record<string, unknown>>): string => {
  const about = name === "SessionStart" ? extra["source"] : extra["tool_name"]
  return typeof about === "string" ? `${name}:${about}` : name
}

/** Events whose hooks' messages to clients are dropped, as in the official SDK. */
const MESSAGELESS: ReadonlySet<FiredHookEvent> = new Set([
  "PermissionRequest",
  "StopFailure",
  "Notification",
  "TaskCreated",
  "TaskCompleted",
  "MessageDisplay",
  "InstructionsLoaded",
  "SessionEnd",
])

/** Notices about hooks that time out, by label. As the official SDK: no others are reported. */
const LATE: Readonly<Record<string, string>> = {
  Stop: "a hook did not respond in time, so the turn ended without it.",
  "SessionStart:compact": "a hook did not respond in time, so the session continues without it.",
}

/** Messages of hooks to clients. */
const clientMessages = (
  turn: Turn,
  name: FiredHookEvent,
  of: string,
  { systemMessages, failures }: HookOutcome,
): ReadonlyArray<NewEvent> => {
  const late = failures.some(({ kind }) => kind === "timeout") ? LATE[of] : undefined
  const sent = MESSAGELESS.has(name) ? [] : systemMessages
  return [...sent, ...(late === undefined ? [] : [late])].map((text) =>
    informational(turn, `${of} says: ${text}`, { level: "notice" }),
  )
}

const HOOK_FAILED = "hook_callback_failed"
const FIELD_IGNORED = "hook_field_ignored"

/** The tags of warnings about hooks. */
export const HOOK_WARNINGS: ReadonlySet<unknown> = new Set([HOOK_FAILED, FIELD_IGNORED])

/** Warnings about hooks that returned no usable answer, or a field that Perch does not support. */
const warnings = (turn: Turn, of: string, outcome: HookOutcome): ReadonlyArray<NewEvent> => [
  ...(outcome.unsupported ?? []).map((field) =>
    informational(turn, `A field of the ${of} hook's output has no effect. ${field}.`, {
      level: "warning",
      tag: FIELD_IGNORED,
    }),
  ),
  ...outcome.failures
    .filter((failure) => !failure.blocks && failure.kind !== "timeout")
    .map(({ kind, asks }) => {
      const meaning = asks === true ? "a person is asked instead" : "it is ignored"
      const text = `${of} hook returned no usable output (${kind}); ${meaning}.`
      return informational(turn, text, { level: "warning", tag: HOOK_FAILED })
    }),
]

/** A message for people; the model does not see it. */
export const informational = (
  turn: Turn,
  content: string,
  fields: Omit<SystemFields<"informational">, "content"> & { readonly prompt_submit_outcome?: unknown },
): NewEvent => systemMessage(stamp(turn), "informational", { content, ...fields })
