// Receives the events of a tool call: its start, its result, the end of its turn; replaces the state of its part.
// Invariant: a call ends once; a message whose request has ended is complete when its last open call has ended.
import type { ToolPrinted } from "../../schemas/log/event-payloads.ts"
import type { LogEvent } from "../../schemas/log/events.ts"
import type { ToolPart } from "../../schemas/parts.ts"
import type { Block } from "../../schemas/sdk/messages/blocks.ts"
import { textOf } from "../../schemas/json/text-field.ts"
import { interruptedState, type ResultFacts, settledState, startedState } from "./part-of-block.ts"
import { type OpenMessage, type OpenCall, toolOf } from "./turn-messages.ts"
import type { TurnState } from "./turn-state.ts"

/** Marks a call as running: its PreToolUse hooks fire when it starts. */
export const startCall = (state: TurnState, event: LogEvent<"hook:fired">): void => {
  const { hook_event_name: name, input } = event.payload
  const call = name === "PreToolUse" ? state.calls.get(String(input["tool_use_id"] ?? "")) : undefined
  const part = call === undefined ? undefined : toolOf(call)
  if (call === undefined || part?.state.status !== "pending") return
  call.startedAt = event.at
  // The shell of a session is always a sandbox.
  const shown: ToolPart = part.tool === "bash" ? { ...part, metadata: { ...part.metadata, sandboxed: true } } : part
  state.messages.setState(event, call, shown, startedState(part, event.at))
}

/** The last part of the output that a call has printed so far. */
export type Printed = Pick<ToolPrinted, "output" | "truncated">

/** The part of a running call, with its output so far. The log does not contain this output. */
export const printingCall = (call: OpenCall, { output, truncated }: Printed): ToolPart => {
  const part = toolOf(call)
  // The start of a call that only reads is stored together with its result.
  const state = part.state.status === "running" ? part.state : startedState(part, call.startedAt)
  return { ...part, state: { ...state, metadata: { output, truncated } } }
}

/** Adds the operations of a script that the sandbox has blocked. */
export const addViolations = (state: TurnState, event: LogEvent<"sandbox:violated">): void => {
  const { tool_use_id: id, violations } = event.payload
  const call = state.calls.get(id)
  if (call === undefined) return
  const part = toolOf(call)
  const metadata = { ...part.metadata, sandboxed: true, sandboxViolations: violations }
  state.messages.setState(event, call, { ...part, metadata }, part.state)
}

export const settleCall = (state: TurnState, event: LogEvent, result: Block, facts: ResultFacts): void => {
  const call = state.calls.get(textOf(result.tool_use_id))
  if (call === undefined) return
  const part = toolOf(call)
  const time = { start: call.startedAt, end: event.at }
  const settled = settledState(part, result, facts, time, () => state.messages.base(event, call.message))
  state.messages.setState(event, call, part, settled)
  closeCall(state, event, part.callID, call)
}

/** Ends the calls that have no result, because none will follow. */
export const interruptCalls = (state: TurnState, event: LogEvent): void => {
  for (const [callId, call] of state.calls) {
    const part = toolOf(call)
    const time = { start: call.startedAt, end: event.at }
    state.messages.setState(event, call, part, interruptedState(part, time))
    closeCall(state, event, callId, call)
  }
}

/** The info of the message, completed at the time (ms) at which its last call ended. */
const completedInfo = ({ info, requestedAt }: OpenMessage, at: number): OpenMessage["info"] => {
  if (info.role !== "assistant") return info
  const { duration } = info.sdk
  const time = { ...info.time, completed: at }
  if (duration === undefined || requestedAt === null) return { ...info, time }
  return {
    ...info,
    time,
    sdk: { ...info.sdk, duration: { ...duration, total: Math.max(at - requestedAt, duration.api) } },
  }
}

const closeCall = (state: TurnState, event: LogEvent, callId: string, { message }: OpenCall): void => {
  state.calls.delete(callId)
  message.openCalls -= 1
  if (message.openCalls > 0 || !message.callFinished || message.info.role !== "assistant") return
  state.messages.setInfo(event, message, completedInfo(message, event.at))
}
