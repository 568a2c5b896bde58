// Receives the pieces of the model's answers and the end of each request; opens their messages and adds their parts.
// Invariant: all pieces with one message id of the API are one message, until its request has ended.
import type { LogEvent } from "../../schemas/log/events.ts"
import type { AssistantInfo } from "../../schemas/parts.ts"
import { settleCall } from "./call-parts.ts"
import { messageErrorOf, retryErrorOf } from "./part-errors.ts"
import { answerId, partViewId } from "./part-ids.ts"
import { blocksOf, isToolResult, partOfAssistantBlock } from "./part-of-block.ts"
import { addTokens, NO_TOKENS, tokensOf } from "./part-tokens.ts"
import type { HeldMessage } from "./turn-messages.ts"
import type { TurnState } from "./turn-state.ts"

const SYNTHETIC = "<synthetic>"

export const addAnswerPiece = (state: TurnState, event: LogEvent<"sdk:assistant">): void => {
  const held = answerOf(state, event)
  const { answer } = held
  for (const block of blocksOf(event.payload.message.content)) {
    const nth = answer === undefined ? 0 : answer.blocks++
    if (isToolResult(block)) {
      settleCall(state, event, block, undefined)
      continue
    }
    const base =
      answer === undefined ? state.messages.base(event, held) : state.messages.answerBase(held, answer.start, nth)
    const part = partOfAssistantBlock(block, base, event.at)
    if (part === null) continue
    state.messages.push(event, held, part)
    if (part.type !== "tool") continue
    held.openCalls += 1
    state.calls.set(part.callID, { held, index: held.parts.length - 1, startedAt: event.at })
  }
}

/** The message that this piece of an answer belongs to; the first piece opens it. */
const answerOf = (state: TurnState, event: LogEvent<"sdk:assistant">): HeldMessage => {
  const { payload } = event
  const apiId = payload.message.id ?? event.uuid
  const known = state.answers.get(apiId)
  if (known !== undefined) return known
  const synthetic = payload.message.model === SYNTHETIC
  const thread = event.parent_tool_use_id
  const start = synthetic ? undefined : state.nextStart(thread, event)
  const id = start === undefined ? partViewId("msg", event, 0) : answerId(start)
  const held = state.messages.hold(event, openedInfo(state, event, id, synthetic))
  addRetries(state, event, held)
  // A synthetic message is no request: it has no step and no `call:finished`.
  if (start === undefined) held.callFinished = true
  else {
    state.useStart(thread, start)
    held.answer = { start, blocks: 0 }
    state.answers.set(apiId, held)
    state.messages.push(event, held, {
      ...state.messages.answerBase(held, start),
      type: "step-start",
      ...(state.snapshot === null || event.parent_tool_use_id !== null ? {} : { snapshot: state.snapshot }),
    })
  }
  return held
}

const openedInfo = (
  state: TurnState,
  event: LogEvent<"sdk:assistant">,
  id: string,
  synthetic: boolean,
): AssistantInfo => {
  const { payload, parent_tool_use_id: parent } = event
  const failure = messageErrorOf(payload)
  return {
    id,
    sessionID: state.sessionId,
    role: "assistant",
    parentID: state.asked.get(parent) ?? state.promptId,
    modelID: payload.message.model,
    providerID: "anthropic",
    mode: "default",
    permissionMode: state.permissionMode,
    path: { cwd: state.cwd, root: state.root },
    time: synthetic ? { created: event.at, completed: event.at } : { created: event.at },
    ...(failure === undefined ? {} : { error: failure }),
    cost: 0,
    tokens: NO_TOKENS,
    sdk: {
      uuid: payload.uuid,
      sessionId: payload.session_id,
      ...(parent === null ? {} : { parentToolUseId: parent }),
    },
  }
}

/** Puts the retries that led to this answer at its beginning. */
const addRetries = (state: TurnState, event: LogEvent, held: HeldMessage): void => {
  const mine = state.retries.filter((retry) => retry.parent_tool_use_id === event.parent_tool_use_id)
  state.retries = state.retries.filter((retry) => !mine.includes(retry))
  for (const retry of mine) {
    const { attempt } = retry.payload
    const base = { id: partViewId("prt", retry, 0), sessionID: state.sessionId, messageID: held.info.id }
    const error = retryErrorOf(retry.payload)
    state.messages.push(event, held, { ...base, type: "retry", attempt, error, time: { created: retry.at } })
  }
}

/** The request has ended: what it used and cost is known. */
export const finishAnswer = (state: TurnState, event: LogEvent<"call:finished">): void => {
  const call = event.payload
  const held = state.answers.get(call.message_id)
  if (held?.info.role !== "assistant") return
  const tokens = tokensOf(call.usage)
  const cost = call.usd ?? 0
  const reason = call.stop_reason ?? "unknown"
  const base = state.messages.base(event, held)
  state.messages.push(event, held, { ...base, type: "step-finish", reason, cost, tokens })
  held.callFinished = true
  // Nothing more comes for this answer; a server that uses an id again begins another one.
  state.answers.delete(call.message_id)
  const info = held.info
  state.messages.setInfo(event, held, {
    ...info,
    time: held.openCalls === 0 ? { ...info.time, completed: event.at } : info.time,
    cost: info.cost + cost,
    tokens: addTokens(info.tokens, tokens),
    ...(call.stop_reason === null ? {} : { finish: call.stop_reason }),
    sdk: call.usd === null ? { ...info.sdk, unpriced: true } : info.sdk,
  })
}
