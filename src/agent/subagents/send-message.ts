// Receives a call of SendMessage; returns the events that deliver its message to the agent, and the call's outcome.
// Invariant: a message reaches its agent once: between two steps of the current run, or, if that ends first, as the prompt
// of the next run. As the official SDK: a message for an unknown agent is no error of the call.
import { EventNames, type NewEvent } from "../../schemas/log/events.ts"
import type { AgentStarted } from "../../schemas/log/agent-events.ts"
import { isTextBlock } from "../../schemas/sdk/messages/type-guards.ts"
import type { SendMessageInput, SendMessageOutput } from "../../schemas/sdk/tools/send-message-tool.ts"
import { sentContent } from "../../tools/agents/send-message.ts"
import { ToolError, type ToolOutcome } from "../../tools/tool.ts"
import { stamp } from "../calls/hook-events.ts"
import { syntheticMessage } from "../messages/sdk-messages.ts"
import type { Turn } from "../ports.ts"
import type { Subagent } from "../transcript/subagents.ts"
import type { ToolUse } from "../transcript/transcript.ts"
import { newRun } from "./new-run.ts"

export interface SentMessage {
  /** The run that starts with the message as its prompt. */
  readonly run?: AgentStarted
  /** The events that queue the message for a running agent. */
  readonly facts?: ReadonlyArray<NewEvent>
  readonly outcome: ToolOutcome
}

export const sendMessage = (caller: Turn, use: ToolUse, { to, message }: SendMessageInput): SentMessage => {
  const { agent, subagents } = caller
  const begun = subagents.runOf(use.id)
  if (begun !== undefined) return { run: begun, outcome: resumed(begun) }
  const running = subagents.named(to)
  const started = running?.started ?? subagents.endedOf(to)
  if (started === undefined)
    return refusal(`No agent named '${to}' is reachable. You can message agents that you started.`)
  if (started.parent_agent_id !== agent?.id)
    return refusal(`The agent ${to} was started by another agent, and only that agent can message it.`)
  if (running !== undefined) return { facts: [sentEvent(caller, running, use, message)], outcome: queued(started, to) }
  const run = newRun(caller, use, {
    description: started.description,
    prompt: message,
    resume: started.agent_id,
    run_in_background: true,
  })
  return run instanceof ToolError ? refusal(run.message) : { run, outcome: resumed(run) }
}

const sentEvent = ({ id: turn }: Turn, { id, key }: Subagent, use: ToolUse, message: string): NewEvent => ({
  name: EventNames.agentMessaged,
  payload: { agent_id: id, run_id: key, tool_use_id: use.id, message },
  turn,
})

const outcomeOf = (output: SendMessageOutput): ToolOutcome => ({ content: sentContent(output), output })

const refusal = (message: string): SentMessage => ({
  outcome: outcomeOf({ success: false, message, display: message }),
})

const pinOf = ({ agent_id: id, name }: AgentStarted) => ({ id, ...(name === undefined ? {} : { name }) })

const resumed = (run: AgentStarted): ToolOutcome =>
  outcomeOf({
    success: true,
    message: `The agent ${run.name ?? run.agent_id} continues in the background. Its report arrives in a later message.`,
    resumedAgentId: run.agent_id,
    revivedAgentId: run.agent_id,
    pin: pinOf(run),
  })

const queued = (run: AgentStarted, to: string): ToolOutcome =>
  outcomeOf({
    success: true,
    message: `${to} receives the message after its next calls. If it ends first, it resumes with the message and reports again.`,
    pin: pinOf(run),
  })

/** The events that deliver pending messages to the agent between two of its steps. */
export const deliveries = (turn: Turn): ReadonlyArray<NewEvent> => {
  const { agent, subagents } = turn
  const run = agent === undefined ? undefined : subagents.runningOf(agent.id)
  if (agent === undefined || run === undefined || run.messages.length === 0) return []
  return [
    ...run.messages.map(({ message }) => syntheticMessage(stamp(turn), worded(message))),
    {
      name: EventNames.agentDelivered,
      payload: { agent_id: agent.id, run_id: agent.runId, count: run.messages.length },
      turn: turn.id,
    },
  ]
}

const DELIVERED = "The agent that started you sent you a message while you were working:\n"

const worded = (message: string): string => `${DELIVERED}${message}\n\nAddress it before you finish your task.`

/** True for the content of a user message that delivers one of SendMessage. */
export const isDelivery = (content: Content): boolean => hasText(content, (text) => text.startsWith(DELIVERED))

type Content = NewEvent<"sdk:user">["payload"]["message"]["content"]

export const hasText = (content: Content, matches: (text: string) => boolean): boolean =>
  typeof content === "string" ? matches(content) : content.some((block) => isTextBlock(block) && matches(block.text))

/** The next run, started by messages that arrived too late for this one; undefined when there are none. */
export const nextRun = (root: Turn, { started, messages }: Subagent): AgentStarted | undefined => {
  const last = messages.at(-1)
  if (last === undefined) return undefined
  return {
    ...started,
    run_id: root.newUuid(),
    tool_use_id: last.tool_use_id,
    prompt: messages.map(({ message }) => message).join("\n\n"),
    background: true,
    detached: true,
  }
}
