// Receives the pieces of the model's answers and the end of each request; opens the answers' messages and adds their parts.
// Invariant: all pieces with the same API message id form one message, until its request has ended.
import type { LogEvent } from "../../schemas/log/events.ts"
import type { AssistantInfo, Part } from "../../schemas/parts.ts"
import { settleCall } from "./call-parts.ts"
import { messageErrorOf, retryErrorOf } from "./part-errors.ts"
import { answerId, partViewId } from "./part-ids.ts"
import { blocksIn } from "../../schemas/sdk/messages/blocks.ts"
import { isToolResult, partOfAssistantBlock } from "./part-of-block.ts"
import { addTokens, NO_TOKENS, tokensOf } from "./part-tokens.ts"
import type { OpenMessage, TurnMessages } from "./turn-messages.ts"
import type { TurnState } from "./turn-state.ts"
import { SYNTHETIC_MODEL } from "../../schemas/sdk/messages/synthetic-model.ts"

export const addAnswerPiece = (state: TurnState, event: LogEvent<"sdk:assistant">): void => {
  const message = answerOf(state, event)
  const { answer } = message
  for (const block of blocksIn(event.payload.message.content)) {
    const nth = answer === undefined ? 0 : answer.blocks++
    if (isToolResult(block)) {
      settleCall(state, event, block, {})
      continue
    }
    const base =
      answer === undefined ? state.messages.base(event, message) : state.messages.answerBase(message, answer.start, nth)
    const part = partOfAssistantBlock(block, base, event.at)
    if (part === null) continue
    state.messages.push(event, message, part)
    if (part.type !== "tool") continue
    message.openCalls += 1
    state.calls.set(part.callID, { message, index: message.parts.length - 1, startedAt: event.at })
  }
}

/** The message that this piece of an answer belongs to; the first piece opens it. */
const answerOf = (state: TurnState, event: LogEvent<"sdk:assistant">): OpenMessage => {
  const { payload } = event
  const apiId = payload.message.id ?? event.uuid
  const known = state.answers.get(apiId)
  if (known !== undefined) return known
  const synthetic = payload.message.model === SYNTHETIC_MODEL
  const thread = event.parent_tool_use_id
  const start = synthetic ? undefined : state.nextStart(thread, event)
  const id = start === undefined ? partViewId("msg", event, 0) : answerId(start)
  const message = state.messages.open(event, openedInfo(state, event, id, synthetic))
  addRetries(state, event, message)
  // A synthetic message comes from no request: it has no step and no `call:finished`.
  if (start === undefined) message.callFinished = true
  else {
    state.useStart(thread, start)
    message.answer = { start, blocks: 0 }
    state.answers.set(apiId, message)
    state.messages.push(event, message, {
      ...state.messages.answerBase(message, start),
      type: "step-start",
      ...snapshotOf(state, thread),
    })
  }
  return message
}

/** An answer of the main thread whose request was made: its ids and first content as they are, or will be, in the log. */
export interface AnswerToCome {
  readonly messageID: string
  /** Its first info and the part of its step; null if the message is already in the log. */
  readonly opened: { readonly info: AssistantInfo; readonly step: Part } | null
  /** How many of its blocks are stored. */
  readonly stored: number
  /** The ids of the part for its n-th stored block. */
  readonly base: (block: number) => ReturnType<TurnMessages["answerBase"]>
}

/** `piece` is a stream event of the answer: `id` and `model` are those of its API message. */
export const answerToCome = (
  state: TurnState,
  piece: { readonly id: string; readonly model: string; readonly uuid: string; readonly at: number },
): AnswerToCome | undefined => {
  const known = state.answers.get(piece.id)
  const start = known?.answer?.start ?? state.nextStart(null)
  if (start === undefined) return undefined
  const messageID = answerId(start)
  const message = { info: { id: messageID } }
  const { uuid, model, at } = piece
  const opened = () => ({
    info: infoOf(state, null, { id: messageID, model, at, uuid, session: state.sessionId }),
    step: { ...state.messages.answerBase(message, start), type: "step-start" as const, ...snapshotOf(state, null) },
  })
  return {
    messageID,
    opened: known === undefined ? opened() : null,
    stored: known?.answer?.blocks ?? 0,
    base: (block) => state.messages.answerBase(message, start, block),
  }
}

/** The first info of an answer. `from` is the piece that opens it. */
const infoOf = (
  state: TurnState,
  thread: string | null,
  from: {
    readonly id: string
    readonly model: string
    readonly at: number
    readonly uuid: string
    readonly session: string
  },
): AssistantInfo => ({
  id: from.id,
  sessionID: state.sessionId,
  role: "assistant",
  parentID: state.asked.get(thread) ?? state.promptId,
  modelID: from.model,
  providerID: "anthropic",
  mode: "default",
  agent: "default",
  permissionMode: state.permissionMode,
  path: { cwd: state.cwd, root: state.root },
  time: { created: from.at },
  cost: 0,
  tokens: NO_TOKENS,
  sdk: { uuid: from.uuid, sessionId: from.session, ...(thread === null ? {} : { parentToolUseId: thread }) },
})

const openedInfo = (
  state: TurnState,
  { payload, at, parent_tool_use_id: thread }: LogEvent<"sdk:assistant">,
  id: string,
  synthetic: boolean,
): AssistantInfo => {
  const failure = messageErrorOf(payload)
  const { uuid, session_id: session } = payload
  return {
    ...infoOf(state, thread, { id, model: payload.message.model, at, uuid, session }),
    time: synthetic ? { created: at, completed: at } : { created: at },
    ...(failure === undefined ? {} : { error: failure }),
  }
}

/** The digest of the file tree before the thread's next step, as a field; empty for subagents. */
const snapshotOf = ({ snapshot }: TurnState, thread: string | null) =>
  snapshot === null || thread !== null ? {} : { snapshot }

/** Adds the retries that preceded this answer as its first parts. */
const addRetries = (state: TurnState, event: LogEvent, message: OpenMessage): void => {
  const mine = state.retries.filter((retry) => retry.parent_tool_use_id === event.parent_tool_use_id)
  state.retries = state.retries.filter((retry) => !mine.includes(retry))
  for (const retry of mine) {
    const { attempt } = retry.payload
    const base = { id: partViewId("prt", retry, 0), sessionID: state.sessionId, messageID: message.info.id }
    const error = retryErrorOf(retry.payload)
    state.messages.push(event, message, { ...base, type: "retry", attempt, error, time: { created: retry.at } })
  }
}

/** Ends the answer of a request: adds its usage and cost. */
export const finishAnswer = (state: TurnState, event: LogEvent<"call:finished">): void => {
  const call = event.payload
  const message = state.answers.get(call.message_id)
  if (message?.info.role !== "assistant") return
  const tokens = tokensOf(call.usage)
  const cost = call.usd ?? 0
  const reason = call.stop_reason ?? "unknown"
  const base = state.messages.base(event, message)
  state.messages.push(event, message, { ...base, type: "step-finish", reason, cost, tokens })
  message.callFinished = true
  message.requestedAt = event.at - call.duration_ms
  // The answer is complete; if a server reuses its id, that starts another answer.
  state.answers.delete(call.message_id)
  const info = message.info
  state.messages.setInfo(event, message, {
    ...info,
    time: message.openCalls === 0 ? { ...info.time, completed: event.at } : info.time,
    cost: info.cost + cost,
    tokens: addTokens(info.tokens, tokens),
    ...(call.stop_reason === null ? {} : { finish: call.stop_reason }),
    sdk: {
      ...info.sdk,
      // The durations of an answer from another server are unknown.
      ...(call.price_version !== "" && call.imported !== true
        ? { duration: { total: call.duration_ms, api: call.duration_ms } }
        : {}),
      ...(call.usd === null ? { unpriced: true } : {}),
    },
  })
}
