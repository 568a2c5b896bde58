// Receives the events that create a user message: a prompt, the loop's own user messages, a compaction; opens the message and adds
// its parts.
// Invariant: the replay of a prompt (`isReplay`) opens no message, because the prompt already has one.
import type { LogEvent } from "../../schemas/log/events.ts"
import type { UserInfo } from "../../schemas/parts.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"
import { shortened } from "../../schemas/shortened.ts"
import { settleCall } from "./call-parts.ts"
import { type Block, blocksIn } from "../../schemas/sdk/messages/blocks.ts"
import { isToolResult, partOfUserBlock, type ResultFacts } from "./part-of-block.ts"
import { partViewId } from "./part-ids.ts"
import type { OpenMessage } from "./turn-messages.ts"
import type { TurnState } from "./turn-state.ts"

/** Opens the message of the turn's prompt. `queued` is its `turn:queued`. */
export const openPrompt = (state: TurnState, queued: LogEvent<"turn:queued">): OpenMessage => {
  const { prompt, origin, messageID, imported } = queued.payload
  const own = { ...ownOptions(queued.payload.options), ...(messageID === undefined ? {} : { id: messageID }) }
  const waits = imported !== true
  const message = openUser(state, queued, { uuid: state.turn, ...(waits ? { queued: true } : {}) }, own)
  if (waits) message.since = null
  state.promptId = message.info.id
  addUserParts(state, queued, message, blocksIn(prompt), origin !== undefined)
  return message
}

/** Makes the prompt part of the conversation, when its turn begins or when it joins another turn. */
export const beginPrompt = ({ messages }: TurnState, event: LogEvent, message: OpenMessage): void => {
  const { info } = message
  if (message.since !== null || info.role !== "user") return
  const { queued: _, ...sdk } = info.sdk ?? {}
  message.since = event.seq
  messages.setInfo(event, message, { ...info, sdk })
}

/** Maximum length of a system prompt in a message's info; the rest is cut. */
const MAX_SYSTEM = 10_000

/** System prompt and variant from the prompt's own options; the session's options are not repeated in messages. */
const ownOptions = ({ systemPrompt, variant }: LogEvent<"turn:queued">["payload"]["options"]): OwnOptions => {
  const given = isPlainObject(systemPrompt) ? systemPrompt.append : systemPrompt
  const system = (Array.isArray(given) ? given : [given]).filter((text) => typeof text === "string").join("\n\n")
  return {
    ...(system === "" ? {} : { system: shortened(system, MAX_SYSTEM).toWellFormed() }),
    ...(typeof variant === "string" ? { variant } : {}),
  }
}

type OwnOptions = Pick<UserInfo, "system" | "variant">
/** Fields of a prompt's message that its sender determines. */
type Given = OwnOptions & Partial<Pick<UserInfo, "id">>

/** Adds a user message inside the turn: results of calls, and content that the loop adds. */
export const addUserMessage = (state: TurnState, event: LogEvent<"sdk:user">): void => {
  const { payload } = event
  const blocks = blocksIn(payload.message.content)
  const results = blocks.filter(isToolResult)
  // `tool_use_result` can only be assigned to a result if the message has exactly one.
  const structured = results.length === 1 ? payload.tool_use_result : undefined
  for (const result of results) {
    const why = notRunBecause(payload.tool_result_meta, result.tool_use_id)
    settleCall(state, event, result, { tool_use_result: structured, ...why })
  }
  const rest = blocks.filter((block) => !isToolResult(block))
  // A replayed prompt already has a message.
  if (rest.length === 0 || payload.isReplay === true) return
  addUserParts(state, event, openUser(state, event, { uuid: event.uuid }), rest, true)
}

/** Why a call was not run; empty for a call that was. `meta` may be anything in an imported message. */
const notRunBecause = (meta: unknown, call: unknown): Omit<ResultFacts, "tool_use_result"> => {
  const found: unknown = Array.isArray(meta) ? meta.find((one) => isPlainObject(one) && one["id"] === call) : undefined
  if (!isPlainObject(found)) return {}
  const { non_execution_kind: kind, permission_decision: decision } = found
  return {
    ...(typeof kind === "string" ? { non_execution_kind: kind } : {}),
    ...(isPlainObject(decision) && decision["decision"] === "reject" ? { permission_decision: decision } : {}),
  }
}

export const addCompaction = (state: TurnState, event: LogEvent<"sdk:system/compact_boundary">): void => {
  const { compact_metadata } = event.payload
  const message = openUser(state, event, { uuid: event.uuid })
  const base = state.messages.base(event, message)
  state.messages.push(event, message, { ...base, type: "compaction", auto: compact_metadata.trigger === "auto" })
}

/** The turn's prompt has started a new conversation. */
export const markReset = ({ messages }: TurnState, event: LogEvent, prompt: OpenMessage): void => {
  const { info } = prompt
  if (info.role === "user") messages.setInfo(event, prompt, { ...info, sdk: { ...info.sdk, conversationReset: true } })
}

const openUser = (
  state: TurnState,
  event: LogEvent,
  sdk: NonNullable<UserInfo["sdk"]>,
  own: Given = {},
): OpenMessage => {
  const parent = event.parent_tool_use_id
  const info: UserInfo = {
    id: partViewId("msg", event, 0),
    sessionID: state.sessionId,
    role: "user",
    time: { created: event.at },
    permissionMode: state.permissionMode,
    agent: "default",
    model: { providerID: "anthropic", modelID: state.model },
    ...own,
    sdk: { ...sdk, ...(parent === null ? {} : { parentToolUseId: parent }) },
  }
  if (!state.asked.has(parent)) state.asked.set(parent, info.id)
  return state.messages.open(event, info)
}

const addUserParts = (
  { messages }: TurnState,
  event: LogEvent,
  message: OpenMessage,
  blocks: ReadonlyArray<Block>,
  synthetic: boolean,
): void => {
  for (const block of blocks) {
    const part = partOfUserBlock(block, messages.base(event, message), synthetic)
    if (part !== null) messages.push(event, message, part)
  }
}
