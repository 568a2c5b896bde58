// Receives the log's events in order; keeps the messages of turns that are not finished yet as `{info, parts[]}`.
// Invariant: a pure fold. The same events give the same messages in any split, and a fold that begins at
// `settledBefore()` gives the same as one that began at the first event. After a turn's `result` its messages are final.
import { type CallFinished, EventNames, type LogEvent, type TurnQueued } from "../schemas/events.ts"
import type {
  AssistantInfo,
  Message,
  MessageInfo,
  Part,
  Tokens,
  ToolPart,
  ToolState,
  UserInfo,
} from "../schemas/parts.ts"
import type { PermissionMode } from "../schemas/sdk/permissions.ts"
import { messageErrorOf, retryErrorOf, stopErrorOf } from "./part-errors.ts"
import { partViewId } from "./part-ids.ts"
import {
  type Block,
  blocksOf,
  interruptedState,
  isToolResult,
  partOfAssistantBlock,
  partOfUserBlock,
  settledState,
  startedState,
} from "./part-of-block.ts"

/** A message with the event that opened it, its turn, and the last event that changed each piece. */
export interface TrackedMessage {
  /** seq of the event that opened the message: its place in the session. */
  readonly position: number
  readonly turn: string
  readonly info: MessageInfo
  readonly infoSeq: number
  readonly parts: ReadonlyArray<{ readonly part: Part; readonly seq: number }>
}

interface Held {
  readonly position: number
  readonly turn: string
  info: MessageInfo
  infoSeq: number
  readonly parts: Array<{ part: Part; seq: number }>
  /** Calls in this message without a result. */
  openCalls: number
  callFinished: boolean
}

interface Call {
  readonly held: Held
  readonly index: number
  startedAt: number
}

interface Turn {
  readonly firstSeq: number
  finished: boolean
  lastChange: number
  model: string
  permissionMode: PermissionMode
  cwd: string
  readonly prompt: string
  readonly messages: Set<string>
  /** The user message that a thread answers, by the thread's parent tool call (null: the main thread). */
  readonly asked: Map<string | null, string>
  /** Assistant messages that are still answered, by the API's message id. */
  readonly answers: Map<string, string>
  readonly calls: Map<string, Call>
  retries: Array<LogEvent>
}

interface AssistantPayload {
  readonly session_id: string
  readonly uuid: string
  readonly error?: string
  readonly api_error_status?: number | null
  readonly message: { readonly id?: string; readonly model: string; readonly content: unknown }
}

interface UserPayload {
  readonly uuid?: string
  readonly isReplay?: boolean
  readonly tool_use_result?: unknown
  readonly message: { readonly content: unknown }
}

const NO_TOKENS: Tokens = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } }
const SYNTHETIC = "<synthetic>"

export class PartsProjection {
  readonly sessionId: string
  readonly #messages = new Map<string, Held>()
  readonly #turns = new Map<string, Turn>()
  #lastSeq = -1
  #place = 0
  #changed = new Set<string>()

  constructor(sessionId: string) {
    this.sessionId = sessionId
  }

  /** seq of the last event that was folded in. */
  get lastSeq(): number {
    return this.#lastSeq
  }

  /** Folds one event in; returns the ids of the messages that it changed. An event that is already in changes nothing. */
  apply(event: LogEvent): ReadonlyArray<string> {
    if (event.seq <= this.#lastSeq) return []
    this.#lastSeq = event.seq
    this.#place = 0
    this.#changed = new Set()
    if (event.turn === null) return []
    if (event.name === EventNames.turnQueued) this.#open(event, event.turn)
    const turn = this.#turns.get(event.turn)
    // A turn that began before this fold did, or is over: its messages are final and not ours to touch.
    if (turn === undefined || turn.finished) return []
    this.#fold(event, event.turn, turn)
    if (this.#changed.size > 0) turn.lastChange = event.seq
    return [...this.#changed]
  }

  message(id: string): Message | undefined {
    const held = this.#messages.get(id)
    return held === undefined ? undefined : { info: held.info, parts: held.parts.map(({ part }) => part) }
  }

  /** The messages held, in the order in which they were opened. */
  messages(): ReadonlyArray<Message> {
    return [...this.#messages.values()].map((held) => ({ info: held.info, parts: held.parts.map(({ part }) => part) }))
  }

  /** Messages that an event from `seq` on has changed, with only the parts that it changed. */
  changedSince(seq: number): ReadonlyArray<TrackedMessage> {
    return [...this.#messages.values()].filter(
      (held) => held.infoSeq >= seq || held.parts.some((part) => part.seq >= seq),
    )
  }

  /** Events before this seq are not needed to go on: a fold over the log may begin here. */
  settledBefore(): number {
    let first = this.#lastSeq + 1
    for (const turn of this.#turns.values()) if (!turn.finished) first = Math.min(first, turn.firstSeq)
    return first
  }

  /** Forgets a finished turn. Returns false, and keeps it, while it can still change. */
  drop(turnId: string): boolean {
    const turn = this.#turns.get(turnId)
    if (turn === undefined || !turn.finished) return false
    for (const id of turn.messages) this.#messages.delete(id)
    return this.#turns.delete(turnId)
  }

  /** Forgets what no later event can change and whose last change is not after `throughSeq` (it has been stored). */
  dropFlushed(throughSeq: number): void {
    for (const [id, turn] of this.#turns) {
      if (turn.finished) {
        if (turn.lastChange <= throughSeq) this.drop(id)
        continue
      }
      const last = this.#lastAnswer(turn)
      for (const messageId of turn.messages) {
        const held = this.#messages.get(messageId)!
        const final = held.callFinished && held.openCalls === 0 && held !== last
        if (!final || held.infoSeq > throughSeq || held.parts.some((part) => part.seq > throughSeq)) continue
        this.#messages.delete(messageId)
        turn.messages.delete(messageId)
      }
    }
  }

  #fold(event: LogEvent, turnId: string, turn: Turn): void {
    switch (event.name) {
      case "sdk:system/init":
        return this.#init(event, turn)
      case "sdk:system/status": {
        const mode = (event.payload as { readonly permissionMode?: PermissionMode }).permissionMode
        if (mode !== undefined) turn.permissionMode = mode
        return
      }
      case "sdk:system/api_retry":
        turn.retries.push(event)
        return
      case "sdk:system/compact_boundary":
        return this.#compaction(event, turnId, turn)
      case "sdk:assistant":
        return this.#assistant(event, turnId, turn)
      case "sdk:user":
        return this.#user(event, turnId, turn)
      case EventNames.hookFired:
        return this.#hook(event, turn)
      case EventNames.callFinished:
        return this.#call(event, turn)
      default:
        if (event.name.startsWith("sdk:result")) this.#result(event, turn)
    }
  }

  #open(event: LogEvent, turnId: string): void {
    if (this.#turns.has(turnId)) return
    const { prompt, options } = event.payload as TurnQueued
    const turn: Turn = {
      firstSeq: event.seq,
      finished: false,
      lastChange: event.seq,
      // Until the turn's `system/init` says what really holds.
      model: typeof options.model === "string" ? options.model : "default",
      permissionMode: (options.permissionMode as PermissionMode | undefined) ?? "default",
      cwd: "/",
      prompt: partViewId("msg", event, 0),
      messages: new Set(),
      asked: new Map(),
      answers: new Map(),
      calls: new Map(),
      retries: [],
    }
    this.#turns.set(turnId, turn)
    const held = this.#openUser(event, turnId, turn, { uuid: turnId })
    for (const block of blocksOf(prompt)) {
      const part = partOfUserBlock(block, this.#base(event, held.info.id), false)
      if (part !== null) this.#push(event, held, part)
    }
  }

  #openUser(event: LogEvent, turnId: string, turn: Turn, sdk: NonNullable<UserInfo["sdk"]>): Held {
    const parent = event.parent_tool_use_id
    const info: UserInfo = {
      id: partViewId("msg", event, 0),
      sessionID: this.sessionId,
      role: "user",
      time: { created: event.at },
      permissionMode: turn.permissionMode,
      model: { providerID: "anthropic", modelID: turn.model },
      sdk: { ...sdk, ...(parent === null ? {} : { parentToolUseId: parent }) },
    }
    if (!turn.asked.has(parent)) turn.asked.set(parent, info.id)
    return this.#hold(event, turnId, turn, info)
  }

  #hold(event: LogEvent, turnId: string, turn: Turn, info: MessageInfo): Held {
    const held: Held = {
      position: event.seq,
      turn: turnId,
      info,
      infoSeq: event.seq,
      parts: [],
      openCalls: 0,
      callFinished: false,
    }
    this.#messages.set(info.id, held)
    turn.messages.add(info.id)
    this.#changed.add(info.id)
    return held
  }

  #init(event: LogEvent, turn: Turn): void {
    const init = event.payload as {
      readonly model: string
      readonly permissionMode: PermissionMode
      readonly cwd: string
    }
    turn.model = init.model
    turn.permissionMode = init.permissionMode
    turn.cwd = init.cwd
    const held = this.#messages.get(turn.prompt)
    if (held?.info.role !== "user") return
    const model = { providerID: "anthropic", modelID: init.model }
    this.#setInfo(event, held, { ...held.info, model, permissionMode: init.permissionMode })
  }

  #compaction(event: LogEvent, turnId: string, turn: Turn): void {
    const { compact_metadata } = event.payload as { readonly compact_metadata: { readonly trigger: string } }
    const held = this.#openUser(event, turnId, turn, { uuid: event.uuid })
    const base = this.#base(event, held.info.id)
    this.#push(event, held, { ...base, type: "compaction", auto: compact_metadata.trigger === "auto" })
  }

  #assistant(event: LogEvent, turnId: string, turn: Turn): void {
    const payload = event.payload as AssistantPayload
    const held = this.#answer(event, turnId, turn, payload)
    for (const block of blocksOf(payload.message.content)) {
      if (isToolResult(block)) {
        this.#settle(event, turn, block, undefined)
        continue
      }
      const part = partOfAssistantBlock(block, this.#base(event, held.info.id), event.at)
      if (part === null) continue
      this.#push(event, held, part)
      if (part.type !== "tool") continue
      held.openCalls += 1
      turn.calls.set(part.callID, { held, index: held.parts.length - 1, startedAt: event.at })
    }
  }

  /** The message that this piece of an answer belongs to; the first piece opens it. */
  #answer(event: LogEvent, turnId: string, turn: Turn, payload: AssistantPayload): Held {
    const apiId = payload.message.id ?? event.uuid
    const known = this.#messages.get(turn.answers.get(apiId) ?? "")
    if (known !== undefined) return known
    const parent = event.parent_tool_use_id
    const synthetic = payload.message.model === SYNTHETIC
    const failure = messageErrorOf(payload)
    const info: AssistantInfo = {
      id: partViewId("msg", event, 0),
      sessionID: this.sessionId,
      role: "assistant",
      parentID: turn.asked.get(parent) ?? turn.prompt,
      modelID: payload.message.model,
      providerID: "anthropic",
      mode: "default",
      permissionMode: turn.permissionMode,
      path: { cwd: turn.cwd, root: turn.cwd },
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
    const held = this.#hold(event, turnId, turn, info)
    held.callFinished = synthetic
    turn.answers.set(apiId, info.id)
    this.#retries(event, turn, held)
    if (!synthetic) this.#push(event, held, { ...this.#base(event, info.id), type: "step-start" })
    return held
  }

  /** Puts the retries that led to this answer at its beginning. */
  #retries(event: LogEvent, turn: Turn, held: Held): void {
    const mine = turn.retries.filter((retry) => retry.parent_tool_use_id === event.parent_tool_use_id)
    turn.retries = turn.retries.filter((retry) => !mine.includes(retry))
    for (const retry of mine) {
      const { attempt } = retry.payload as { readonly attempt: number }
      this.#push(event, held, {
        id: partViewId("prt", retry, 0),
        sessionID: this.sessionId,
        messageID: held.info.id,
        type: "retry",
        attempt,
        error: retryErrorOf(retry.payload),
        time: { created: retry.at },
      })
    }
  }

  #user(event: LogEvent, turnId: string, turn: Turn): void {
    const payload = event.payload as UserPayload
    const blocks = blocksOf(payload.message.content)
    const results = blocks.filter(isToolResult)
    // `tool_use_result` belongs to the one result of the message; with several it would be a guess.
    const structured = results.length === 1 ? payload.tool_use_result : undefined
    for (const result of results) this.#settle(event, turn, result, structured)
    const rest = blocks.filter((block) => !isToolResult(block))
    const echo = payload.isReplay === true && payload.uuid === turnId
    if (rest.length === 0 || echo) return
    const held = this.#openUser(event, turnId, turn, { uuid: event.uuid })
    for (const block of rest) {
      const part = partOfUserBlock(block, this.#base(event, held.info.id), true)
      if (part !== null) this.#push(event, held, part)
    }
  }

  #hook(event: LogEvent, turn: Turn): void {
    const fired = event.payload as {
      readonly hook_event_name: string
      readonly input: { readonly tool_use_id?: string }
    }
    const call = fired.hook_event_name === "PreToolUse" ? turn.calls.get(fired.input.tool_use_id ?? "") : undefined
    const part = call === undefined ? undefined : toolOf(call)
    if (call === undefined || part?.state.status !== "pending") return
    call.startedAt = event.at
    this.#setState(event, call, part, startedState(part, event.at))
  }

  #settle(event: LogEvent, turn: Turn, result: Block, structured: unknown): void {
    const call = turn.calls.get(typeof result.tool_use_id === "string" ? result.tool_use_id : "")
    if (call === undefined) return
    const part = toolOf(call)
    const time = { start: call.startedAt, end: event.at }
    const attachmentBase = () => this.#base(event, part.messageID)
    this.#setState(event, call, part, settledState(part, result, structured, time, attachmentBase))
    this.#close(event, turn, call, part.callID)
  }

  #call(event: LogEvent, turn: Turn): void {
    const call = event.payload as CallFinished
    const held = this.#messages.get(turn.answers.get(call.message_id) ?? "")
    if (held?.info.role !== "assistant") return
    const tokens = tokensOf(call.usage)
    const cost = call.usd ?? 0
    const reason = call.stop_reason ?? "unknown"
    this.#push(event, held, { ...this.#base(event, held.info.id), type: "step-finish", reason, cost, tokens })
    held.callFinished = true
    // Nothing more comes for this answer; a server that uses an id again begins another one.
    turn.answers.delete(call.message_id)
    const info = held.info
    this.#setInfo(event, held, {
      ...info,
      time: held.openCalls === 0 ? { ...info.time, completed: event.at } : info.time,
      cost: info.cost + cost,
      tokens: addTokens(info.tokens, tokens),
      ...(call.stop_reason === null ? {} : { finish: call.stop_reason }),
      sdk: call.usd === null ? { ...info.sdk, unpriced: true } : info.sdk,
    })
  }

  #result(event: LogEvent, turn: Turn): void {
    for (const [callId, call] of turn.calls) {
      const part = toolOf(call)
      this.#setState(event, call, part, interruptedState(part, { start: call.startedAt, end: event.at }))
      this.#close(event, turn, call, callId)
    }
    const aborted = event.name === "sdk:result/error_during_execution" ? this.#lastAnswer(turn) : undefined
    for (const id of turn.messages) {
      const held = this.#messages.get(id)
      if (held?.info.role !== "assistant") continue
      let info: AssistantInfo = held.info
      if (info.time.completed === undefined) info = { ...info, time: { ...info.time, completed: event.at } }
      if (held === aborted)
        info = { ...info, error: info.error ?? stopErrorOf(event.payload), finish: info.finish ?? "cancelled" }
      if (info !== held.info) this.#setInfo(event, held, info)
    }
    turn.finished = true
    turn.lastChange = event.seq
  }

  /** The call has its end; when it was the last one of an answered request, the message is complete. */
  #close(event: LogEvent, turn: Turn, call: Call, callId: string): void {
    turn.calls.delete(callId)
    const held = call.held
    held.openCalls -= 1
    if (held.openCalls > 0 || !held.callFinished || held.info.role !== "assistant") return
    this.#setInfo(event, held, { ...held.info, time: { ...held.info.time, completed: event.at } })
  }

  #lastAnswer(turn: Turn): Held | undefined {
    return [...turn.messages]
      .map((id) => this.#messages.get(id))
      .findLast((held) => held?.info.role === "assistant" && held.info.sdk.parentToolUseId === undefined)
  }

  #base(event: LogEvent, messageID: string): { id: string; sessionID: string; messageID: string } {
    return { id: partViewId("prt", event, this.#place++), sessionID: this.sessionId, messageID }
  }

  #push(event: LogEvent, held: Held, part: Part): void {
    held.parts.push({ part, seq: event.seq })
    this.#changed.add(held.info.id)
  }

  #setInfo(event: LogEvent, held: Held, info: MessageInfo): void {
    held.info = info
    held.infoSeq = event.seq
    this.#changed.add(info.id)
  }

  #setState(event: LogEvent, call: Call, part: ToolPart, state: ToolState): void {
    call.held.parts[call.index] = { part: { ...part, state }, seq: event.seq }
    this.#changed.add(part.messageID)
  }
}

/** The messages of a whole log (or of one that begins where a fold's `settledBefore()` said). */
export const projectParts = (sessionId: string, events: Iterable<LogEvent>): ReadonlyArray<Message> => {
  const projection = new PartsProjection(sessionId)
  for (const event of events) projection.apply(event)
  return projection.messages()
}

/** A call's part: `calls` only ever points at tool parts. */
const toolOf = (call: Call): ToolPart => call.held.parts[call.index]!.part as ToolPart

const count = (value: unknown): number => (typeof value === "number" && Number.isFinite(value) ? value : 0)

/** The API's usage as tokens; `reasoning` is included in `output`, cache is not included in `input`. */
export const tokensOf = (usage: Readonly<Record<string, unknown>>): Tokens => ({
  input: count(usage.input_tokens),
  output: count(usage.output_tokens),
  reasoning: count(
    (usage.output_tokens_details as { readonly thinking_tokens?: unknown } | null | undefined)?.thinking_tokens,
  ),
  cache: { read: count(usage.cache_read_input_tokens), write: count(usage.cache_creation_input_tokens) },
})

const addTokens = (a: Tokens, b: Tokens): Tokens => ({
  input: a.input + b.input,
  output: a.output + b.output,
  reasoning: a.reasoning + b.reasoning,
  cache: { read: a.cache.read + b.cache.read, write: a.cache.write + b.cache.write },
})
