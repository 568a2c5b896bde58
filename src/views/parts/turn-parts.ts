// Receives the events of one turn in order, its `turn:queued` first; keeps the turn's messages as `{info, parts[]}`.
// Invariant: a pure fold over those events. Parts are only ever added at the end or replaced where they are, and
// nothing changes any more once the turn's `result` has come.
import { EventNames, isTurnResult, type LogEvent } from "../../schemas/log/events.ts"
import type { AssistantInfo, UserInfo } from "../../schemas/parts.ts"
import type { PermissionMode } from "../../schemas/sdk/options/permissions.ts"
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
import { addTokens, NO_TOKENS, tokensOf } from "./part-tokens.ts"
import { type HeldMessage, type OpenCall, toolOf, type TrackedMessage, TurnMessages } from "./turn-messages.ts"

const SYNTHETIC = "<synthetic>"

export class TurnParts {
  readonly sessionId: string
  readonly turn: string
  readonly firstSeq: number
  readonly #messages: TurnMessages
  readonly #prompt: HeldMessage
  /** The user message that a thread answers, by the thread's parent tool call (null: the main thread). */
  readonly #asked = new Map<string | null, string>()
  /** Assistant messages that are still answered, by the API's message id. */
  readonly #answers = new Map<string, HeldMessage>()
  readonly #calls = new Map<string, OpenCall>()
  #retries: Array<LogEvent<"sdk:system/api_retry">> = []
  #model: string
  #permissionMode: PermissionMode
  #cwd = "/"
  #root = "/"
  /** Whether the prompt is part of the conversation: a prompt that waits is not, until its turn begins. */
  #begun: boolean
  #finished = false
  #lastChange: number

  /** `queued` is the turn's `turn:queued`. */
  constructor(sessionId: string, turn: string, queued: LogEvent<"turn:queued">) {
    const { prompt, options, origin, imported } = queued.payload
    this.#begun = imported === true
    this.sessionId = sessionId
    this.turn = turn
    this.#messages = new TurnMessages(sessionId, turn)
    this.firstSeq = queued.seq
    this.#lastChange = queued.seq
    // Until the turn's `system/init` names the model and mode in use.
    this.#model = typeof options.model === "string" ? options.model : "default"
    this.#permissionMode = (options.permissionMode as PermissionMode | undefined) ?? "default"
    this.#prompt = this.#openUser(queued, { uuid: turn })
    this.#userParts(queued, this.#prompt, blocksOf(prompt), origin !== undefined)
  }

  get finished(): boolean {
    return this.#finished
  }

  /** seq of the last event that changed a message. */
  get lastChange(): number {
    return this.#lastChange
  }

  /** The messages held, in the order in which they were opened. */
  messages(): Iterable<TrackedMessage> {
    return this.#messages.all()
  }

  message(id: string): TrackedMessage | undefined {
    return this.#messages.get(id)
  }

  /** Folds one event in; returns the ids of the messages that it changed. */
  apply(event: LogEvent): ReadonlyArray<string> {
    if (this.#finished) return []
    this.#messages.beginEvent()
    this.#fold(event)
    if (this.#messages.changed.size > 0) this.#lastChange = event.seq
    return [...this.#messages.changed]
  }

  get begun(): boolean {
    return this.#begun
  }

  /** The prompt joined another turn, whose outcome is its own: no event of this turn follows. */
  join(): void {
    this.#begun = true
    this.#finished = true
  }

  /** The conversation goes on from within this turn: what had not ended there never will. */
  cut(event: LogEvent): void {
    if (this.#finished) return
    this.#messages.beginEvent()
    this.#end(event)
    if (this.#messages.changed.size > 0) this.#lastChange = event.seq
  }

  /** Forgets the answers that no later event can change and whose last change is not after `throughSeq`. */
  free(throughSeq: number): void {
    this.#messages.free(throughSeq)
  }

  #fold(event: LogEvent): void {
    switch (event.name) {
      case "sdk:system/init":
        return this.#init(event)
      case "sdk:system/status": {
        const mode = event.payload.permissionMode
        if (mode !== undefined) this.#permissionMode = mode
        return
      }
      case "sdk:system/api_retry":
        this.#retries.push(event)
        return
      case "sdk:system/compact_boundary":
        return this.#compaction(event)
      case "sdk:assistant":
        return this.#assistant(event)
      case "sdk:user":
        return this.#user(event)
      case EventNames.hookFired:
        return this.#hook(event)
      case EventNames.callFinished:
        return this.#call(event)
      default:
        if (isTurnResult(event) || event.name === EventNames.turnImported) this.#end(event)
    }
  }

  #init(event: LogEvent<"sdk:system/init">): void {
    const init = event.payload
    this.#begun = true
    this.#model = init.model
    this.#permissionMode = init.permissionMode
    this.#cwd = init.cwd
    this.#root = init.original_cwd ?? init.cwd
    if (this.#prompt.info.role !== "user") return
    const model = { providerID: "anthropic", modelID: init.model }
    this.#messages.setInfo(event, this.#prompt, { ...this.#prompt.info, model, permissionMode: init.permissionMode })
  }

  #compaction(event: LogEvent<"sdk:system/compact_boundary">): void {
    const { compact_metadata } = event.payload
    const held = this.#openUser(event, { uuid: event.uuid })
    this.#messages.push(event, held, {
      ...this.#messages.base(event, held),
      type: "compaction",
      auto: compact_metadata.trigger === "auto",
    })
  }

  #assistant(event: LogEvent<"sdk:assistant">): void {
    const { payload } = event
    const held = this.#answer(event)
    for (const block of blocksOf(payload.message.content)) {
      if (isToolResult(block)) {
        this.#settle(event, block, undefined)
        continue
      }
      const part = partOfAssistantBlock(block, this.#messages.base(event, held), event.at)
      if (part === null) continue
      this.#messages.push(event, held, part)
      if (part.type !== "tool") continue
      held.openCalls += 1
      this.#calls.set(part.callID, { held, index: held.parts.length - 1, startedAt: event.at })
    }
  }

  /** The message that this piece of an answer belongs to; the first piece opens it. */
  #answer(event: LogEvent<"sdk:assistant">): HeldMessage {
    const { payload } = event
    const apiId = payload.message.id ?? event.uuid
    const known = this.#answers.get(apiId)
    if (known !== undefined) return known
    const parent = event.parent_tool_use_id
    const synthetic = payload.message.model === SYNTHETIC
    const failure = messageErrorOf(payload)
    const info: AssistantInfo = {
      id: partViewId("msg", event, 0),
      sessionID: this.sessionId,
      role: "assistant",
      parentID: this.#asked.get(parent) ?? this.#prompt.info.id,
      modelID: payload.message.model,
      providerID: "anthropic",
      mode: "default",
      permissionMode: this.#permissionMode,
      path: { cwd: this.#cwd, root: this.#root },
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
    const held = this.#messages.hold(event, info)
    this.#retryParts(event, held)
    // A synthetic message is no request: it has no step and no `call:finished`.
    if (synthetic) held.callFinished = true
    else {
      this.#answers.set(apiId, held)
      this.#messages.push(event, held, { ...this.#messages.base(event, held), type: "step-start" })
    }
    return held
  }

  /** Puts the retries that led to this answer at its beginning. */
  #retryParts(event: LogEvent, held: HeldMessage): void {
    const mine = this.#retries.filter((retry) => retry.parent_tool_use_id === event.parent_tool_use_id)
    this.#retries = this.#retries.filter((retry) => !mine.includes(retry))
    for (const retry of mine) {
      const { attempt } = retry.payload
      const base = { id: partViewId("prt", retry, 0), sessionID: this.sessionId, messageID: held.info.id }
      const error = retryErrorOf(retry.payload)
      this.#messages.push(event, held, { ...base, type: "retry", attempt, error, time: { created: retry.at } })
    }
  }

  #user(event: LogEvent<"sdk:user">): void {
    const { payload } = event
    const blocks = blocksOf(payload.message.content)
    const results = blocks.filter(isToolResult)
    // `tool_use_result` belongs to the one result of the message; with several it would be a guess.
    const structured = results.length === 1 ? payload.tool_use_result : undefined
    for (const result of results) this.#settle(event, result, structured)
    const rest = blocks.filter((block) => !isToolResult(block))
    // A replayed prompt is there already.
    if (rest.length === 0 || payload.isReplay === true) return
    this.#userParts(event, this.#openUser(event, { uuid: event.uuid }), rest, true)
  }

  #hook(event: LogEvent<"hook:fired">): void {
    const { hook_event_name: name, input } = event.payload
    const call = name === "PreToolUse" ? this.#calls.get(String(input["tool_use_id"] ?? "")) : undefined
    const part = call === undefined ? undefined : toolOf(call)
    if (call === undefined || part?.state.status !== "pending") return
    call.startedAt = event.at
    this.#messages.setState(event, call, part, startedState(part, event.at))
  }

  #settle(event: LogEvent, result: Block, structured: unknown): void {
    const call = this.#calls.get(typeof result.tool_use_id === "string" ? result.tool_use_id : "")
    if (call === undefined) return
    const part = toolOf(call)
    const time = { start: call.startedAt, end: event.at }
    const state = settledState(part, result, structured, time, () => this.#messages.base(event, call.held))
    this.#messages.setState(event, call, part, state)
    this.#close(event, part.callID, call)
  }

  #call(event: LogEvent<"call:finished">): void {
    const call = event.payload
    const held = this.#answers.get(call.message_id)
    if (held?.info.role !== "assistant") return
    const tokens = tokensOf(call.usage)
    const cost = call.usd ?? 0
    const reason = call.stop_reason ?? "unknown"
    this.#messages.push(event, held, { ...this.#messages.base(event, held), type: "step-finish", reason, cost, tokens })
    held.callFinished = true
    // Nothing more comes for this answer; a server that uses an id again begins another one.
    this.#answers.delete(call.message_id)
    const info = held.info
    this.#messages.setInfo(event, held, {
      ...info,
      time: held.openCalls === 0 ? { ...info.time, completed: event.at } : info.time,
      cost: info.cost + cost,
      tokens: addTokens(info.tokens, tokens),
      ...(call.stop_reason === null ? {} : { finish: call.stop_reason }),
      sdk: call.usd === null ? { ...info.sdk, unpriced: true } : info.sdk,
    })
  }

  /** Nothing changes any more. An error marks the last answer. */
  #end(event: LogEvent): void {
    const error = event.name === "sdk:result/error_during_execution" ? stopErrorOf(event.payload) : undefined
    const stopped = error === undefined ? undefined : this.#messages.lastAnswer()
    for (const [callId, call] of this.#calls) {
      const part = toolOf(call)
      this.#messages.setState(event, call, part, interruptedState(part, { start: call.startedAt, end: event.at }))
      this.#close(event, callId, call)
    }
    for (const held of this.#messages.all()) {
      if (held.info.role !== "assistant") continue
      let info: AssistantInfo = held.info
      if (info.time.completed === undefined) info = { ...info, time: { ...info.time, completed: event.at } }
      if (error !== undefined && held === stopped) {
        info = { ...info, error: info.error ?? error, finish: info.finish ?? "cancelled" }
      }
      if (info !== held.info) this.#messages.setInfo(event, held, info)
    }
    this.#finished = true
  }

  /** The call has its end; when it was the last one of an answered request, the message is complete. */
  #close(event: LogEvent, callId: string, call: OpenCall): void {
    this.#calls.delete(callId)
    const held = call.held
    held.openCalls -= 1
    if (held.openCalls > 0 || !held.callFinished || held.info.role !== "assistant") return
    this.#messages.setInfo(event, held, { ...held.info, time: { ...held.info.time, completed: event.at } })
  }

  #openUser(event: LogEvent, sdk: NonNullable<UserInfo["sdk"]>): HeldMessage {
    const parent = event.parent_tool_use_id
    const info: UserInfo = {
      id: partViewId("msg", event, 0),
      sessionID: this.sessionId,
      role: "user",
      time: { created: event.at },
      permissionMode: this.#permissionMode,
      model: { providerID: "anthropic", modelID: this.#model },
      sdk: { ...sdk, ...(parent === null ? {} : { parentToolUseId: parent }) },
    }
    if (!this.#asked.has(parent)) this.#asked.set(parent, info.id)
    return this.#messages.hold(event, info)
  }

  #userParts(event: LogEvent, held: HeldMessage, blocks: ReadonlyArray<Block>, synthetic: boolean): void {
    for (const block of blocks) {
      const part = partOfUserBlock(block, this.#messages.base(event, held), synthetic)
      if (part !== null) this.#messages.push(event, held, part)
    }
  }
}
