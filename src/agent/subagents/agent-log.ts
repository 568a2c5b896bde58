// Receives the events of a subagent's turn; returns them for the session's log: under the agent's thread, with the agent's
// names, and as messages only if clients are to get them.
// Invariant: every event of the agent's conversation is in the log, sent or withheld, so that it can be folded again.
import type * as Effect from "effect/Effect"
import { isToolResultBlock, isToolUseBlock } from "../../schemas/sdk/messages/type-guards.ts"
import { EventNames, type NewEvent } from "../../schemas/log/events.ts"
import { textField } from "../../schemas/json/text-field.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"
import { HOOK_WARNINGS, stamp } from "../calls/hook-events.ts"
import { CUT_OFF } from "../messages/prompt-text.ts"
import { sdkEvent, systemMessage } from "../messages/sdk-messages.ts"
import type { Log, Turn } from "../ports.ts"
import type { AgentIdentity } from "./identity.ts"
import { totalTokens } from "./agent-usage.ts"
import { hasText, isDelivery } from "./send-message.ts"

/**
 * The session's log for an agent's turn. Stream events and states are not emitted; what the agent's scripts print, and retries
 * of its requests, are.
 */
export const agentLog = (log: Log["Service"], turn: () => Turn): Log["Service"] => {
  let isRetrying = false
  const emitRetry = ({ name, payload }: NewEvent): void => {
    if (name === "sdk:system/api_retry") {
      const { attempt, max_retries, retry_delay_ms, error_status, error: error_category } = payload
      const retry = { attempt, max_retries, retry_delay_ms, error_status, error_category }
      isRetrying = emitProgress(log, turn(), retry)
    } else if (isRetrying && name === "sdk:assistant") {
      isRetrying = false
      emitProgress(log, turn())
    }
  }
  return {
    append: (events, change): Effect.Effect<void> => {
      for (const event of events) emitRetry(event)
      return log.append(
        events.flatMap((event) => agentEvents(turn(), event)),
        change,
      )
    },
    emit: (event) => {
      if ((event.name === EventNames.toolPrinted || SENT.has(event.name)) && turn().agent?.detached !== true)
        log.emit(event)
    },
    beforeModelRequest: () => log.beforeModelRequest(),
    sendEmitted: () => log.sendEmitted(),
    wantsPartials: () => false,
    hasListeners: () => log.hasListeners(),
  }
}

/**
 * As the official SDK: clients get the retries of an agent's requests as the progress of the call that started it, and another
 * such message, without a retry, once an answer has arrived. Returns whether it was emitted.
 */
const emitProgress = (log: Log["Service"], turn: Turn, retry?: Fields): boolean => {
  const { agent } = turn
  if (agent === undefined || !isSentOn(agent)) return false
  const { sessionId: session_id, uuid } = stamp(turn)
  const { name, payload } = sdkEvent(null, "sdk:tool_progress", {
    tool_use_id: `agent_${agent.runId}`,
    tool_name: "Agent",
    parent_tool_use_id: agent.thread,
    elapsed_time_seconds: 0,
    subagent_type: agent.type,
    ...(retry === undefined ? {} : { subagent_retry: { agent_id: agent.id, ...retry } }),
    session_id,
    uuid,
  })
  log.emit({ name, turn: agent.detached ? null : turn.id, payload })
  log.sendEmitted()
  return true
}

type Fields = Readonly<Record<string, unknown>>

/** An event of the agent's turn for the session's log, followed or preceded by a progress message. */
export const agentEvents = (turn: Turn, event: NewEvent): ReadonlyArray<NewEvent> => {
  const { agent } = turn
  if (agent === undefined) return [event]
  // The name and the payload stay those of the event; only its turn and its place in the agent's conversation change.
  const placed = { ...event, turn: agent.detached ? null : (event.turn ?? null) } as NewEvent
  // Already under a thread, such as a request inside a call of the agent.
  if (event.parent_tool_use_id != null) return [placed]
  const own = { ...placed, parent_tool_use_id: agent.thread } as NewEvent
  if (own.name === "sdk:assistant") return answer(turn, agent, own)
  if (own.name === "sdk:user") {
    return [isSent(turn, own, agent) ? sent(own, userFields(own, agent)) : withheld(own)]
  }
  if (!own.name.startsWith("sdk:")) return [own]
  // As the official SDK: a failed hook, and with it perhaps a check that was not made, is reported for agents as well.
  if (own.name === "sdk:system/informational" && HOOK_WARNINGS.has(own.payload.tag)) return [own]
  if (own.name === "sdk:system/permission_denied") return [sent(own, { agent_id: agent.id })]
  // Among an agent's status messages only a changed permission mode concerns the session.
  if (own.name === "sdk:system/status" && own.payload.permissionMode === undefined) return [withheld(own)]
  return SENT.has(own.name) ? [own] : [withheld(own)]
}

/** Messages of an agent's turn that clients of the session get unchanged. */
const SENT: ReadonlySet<string> = new Set([
  "sdk:system/background_tasks_changed",
  "sdk:system/task_started",
  "sdk:system/task_progress",
  "sdk:system/task_updated",
  "sdk:system/task_notification",
  "sdk:system/status",
])

/**
 * As the official SDK: the messages of an agent for which another agent waits are only sent with `forwardSubagentText`; those of
 * a background agent always are.
 */
const isSentOn = (agent: AgentIdentity): boolean => agent.depth === 1 || forwardsText(agent)

/**
 * As the official SDK: results of calls are sent; the loop's own texts to the model, such as a Stop hook's reason, if the agent's
 * texts are, except for a message of SendMessage; the prompt, if the agent is not in the background. No other user messages are.
 */
const isSent = ({ prompt }: Turn, { payload }: NewEvent<"sdk:user">, agent: AgentIdentity): boolean => {
  const { content } = payload.message
  if (!isSentOn(agent)) return false
  if (payload.isSynthetic === true) return forwardsText(agent) && !isDelivery(content)
  if (isResult(content)) return true
  return hasText(content, (text) => (agent.background ? CUT_OFF.has(text) : text === prompt))
}

const isResult = (content: unknown): boolean => Array.isArray(content) && content.some(isToolResultBlock)

const forwardsText = ({ background, root }: AgentIdentity): boolean =>
  background || root.options.forwardSubagentText === true

const answer = (turn: Turn, agent: AgentIdentity, event: NewEvent<"sdk:assistant">): ReadonlyArray<NewEvent> => {
  const { content } = event.payload.message
  const use = content.find(isToolUseBlock)
  if (use === undefined) {
    const hasContent = content.some(({ type }) => type === "text" || type === "thinking")
    return [isSentOn(agent) && hasContent && forwardsText(agent) ? sent(event, fieldsOf(agent)) : withheld(event)]
  }
  const message = isSentOn(agent) ? sent(event, fieldsOf(agent)) : withheld(event)
  // As the official SDK: no `task_progress` is sent for the agent that runs a command or a skill.
  if (agent.fork !== undefined) return [message]
  const progress = { ...progressEvent(turn, agent, use), turn: event.turn ?? null }
  return agent.background ? [message, progress] : [progress, message]
}

const fieldsOf = (agent: AgentIdentity) => ({
  parent_tool_use_id: agent.thread,
  agent_id: agent.id,
  subagent_type: agent.type,
  task_description: agent.description,
})

/**
 * As the official SDK: `tool_use_result` stays only if it is an error's text or Skill's, or else has only an MCP result's `_meta`;
 * other objects become `subagent_tool_result`.
 */
const userFields = ({ payload }: NewEvent<"sdk:user">, agent: AgentIdentity): Fields => {
  const { content } = payload.message
  const output = payload.tool_use_result
  return {
    ...fieldsOf(agent),
    ...(isResult(content) && typeof output === "object" && textField(output, "commandName") === ""
      ? { tool_use_result: metaOf(output), subagent_tool_result: output }
      : {}),
  }
}

const metaOf = (output: unknown) =>
  isPlainObject(output) && "_meta" in output ? { _meta: output["_meta"] } : undefined

/** The message with additional fields; fields that are undefined are left out. */
const sent = <E extends NewEvent>(event: E, fields: Fields): E => {
  const payload = Object.fromEntries(
    Object.entries({ ...event.payload, ...fields }).filter(([, value]) => value !== undefined),
  )
  // The event keeps its name, and the added fields are those that the SDK's messages of agents have.
  return { ...event, payload } as E
}

export const withheld = (event: NewEvent): NewEvent<"message:withheld"> => ({
  name: EventNames.messageWithheld,
  // A message is an object.
  payload: { event: event.name, message: event.payload as Fields },
  turn: event.turn ?? null,
  parent_tool_use_id: event.parent_tool_use_id ?? null,
})

const progressEvent = (
  turn: Turn,
  agent: AgentIdentity,
  use: { readonly name: string; readonly input: unknown },
): NewEvent<"sdk:system/task_progress"> =>
  systemMessage(stamp(turn), "task_progress", {
    ...progressFields(turn, agent, { description: activity(use), toolUses: usesBefore(turn, agent) + 1 }),
    last_tool_name: use.name,
  })

/** A progress message with a summary. As the official SDK: the summary is also the description. */
export const summaryEvent = (
  turn: Turn,
  agent: AgentIdentity,
  summary: string,
): NewEvent<"sdk:system/task_progress"> => ({
  ...systemMessage(stamp(turn), "task_progress", {
    ...progressFields(turn, agent, { description: summary, toolUses: usesBefore(turn, agent) }),
    summary,
  }),
  turn: agent.detached ? null : turn.id,
})

const usesBefore = (turn: Turn, { id }: AgentIdentity): number =>
  [...(turn.subagents.runningOf(id)?.toolUses.values() ?? [])].reduce((sum, n) => sum + n, 0)

const progressFields = (
  turn: Turn,
  agent: AgentIdentity,
  { description, toolUses }: { readonly description: string; readonly toolUses: number },
) => ({
  task_id: agent.id,
  run_id: agent.runId,
  ...(agent.fork === "prompt" ? {} : { tool_use_id: agent.call }),
  description,
  subagent_type: agent.type,
  usage: {
    total_tokens: totalTokens(turn.memory.accounting.lastUsage),
    tool_uses: toolUses,
    duration_ms: turn.now() - agent.startedAt,
  },
})

/** A short description of a call, for people. */
const activity = ({ name, input }: { readonly name: string; readonly input: unknown }): string => {
  const given = isPlainObject(input) ? input : {}
  const subject = [given["description"], given["file_path"], given["pattern"], given["query"], given["url"]].find(
    (value) => typeof value === "string",
  )
  return subject === undefined ? name : `${name}: ${String(subject).slice(0, 200)}`
}
