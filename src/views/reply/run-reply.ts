// Receives what happens in one run; returns it as steps, and keeps its reply.
// Invariant: the steps of what is stored are a function of what is stored; what streams is only ahead of it. Each call has a start
// and at most one result.
import type { MessagingSends } from "./messaging-sends.ts"
import type { ReplyStep, ReplyPayload, AgentStep } from "./reply-steps.ts"
import {
  heldBlocks,
  type MessageState,
  NEW_MESSAGE,
  type OpenBlock,
  type ReplyContext,
  TextBlock,
  ThinkingBlock,
} from "./message-reply.ts"
import {
  errorMessage,
  isErrorOutput,
  metaOf,
  resultText,
  sanitizedResult,
  toolLabel,
  toolReply,
} from "./tool-output.ts"

type Input = Readonly<Record<string, unknown>>

interface OpenCall {
  readonly name: string
  readonly meta: string | undefined
}

/** A message of the model. `stored`: some of it is certain. */
interface Message {
  readonly id: string
  state: MessageState
  stored: boolean
  hasCalls: boolean
  payloads: Array<ReplyPayload>
}

/** Calls that only look: that one of them failed is no news once another succeeds. */
const LOOKS = new Set([
  "Read",
  "Glob",
  "Grep",
  "WebFetch",
  "WebSearch",
  "ListMcpResources",
  "ReadMcpResource",
  "ToolSearch",
])
/** Errors that the model reads and corrects itself. */
const RECOVERABLE = /required|missing|invalid|must be|must have|needs|requires/i

export type BlockKind = "text" | "thinking"

export class RunReply {
  readonly #context: ReplyContext
  #message: Message | null = null
  #open: { readonly kind: BlockKind; readonly block: OpenBlock; readonly blocks: Array<ReplyPayload> } | null = null
  readonly #calls = new Map<string, OpenCall>()
  #payloads: Array<ReplyPayload> = []
  #lastError: (OpenCall & { readonly error: string | undefined }) | null = null
  /** The model's last message was the failure of its request. */
  #failed = false

  constructor(context: ReplyContext) {
    this.#context = context
  }

  get sends(): MessagingSends {
    return this.#context.sends
  }

  /** The reply so far. */
  get payloads(): ReadonlyArray<ReplyPayload> {
    const message = this.#message
    const now = message === null || message.hasCalls ? [] : message.payloads
    const all = [...this.#payloads, ...now]
    const isVoice = all.some(({ audioAsVoice }) => audioAsVoice === true)
    const voiced = all.map((one) => (isVoice && one.mediaUrl !== undefined ? { ...one, audioAsVoice: true } : one))
    return voiced.filter(({ text, mediaUrl }) => text !== undefined || mediaUrl !== undefined)
  }

  get messageId(): string | undefined {
    return this.#message?.id
  }

  /** Whether something of what streams is not stored. */
  get isAhead(): boolean {
    return this.#open !== null || this.#message?.stored === false
  }

  get hasOpenBlock(): boolean {
    return this.#open !== null
  }

  /** Forgets what is not stored. */
  forget(): void {
    this.#open = null
    if (this.#message?.stored === false) this.#message = null
  }

  startMessage(id: string): ReadonlyArray<ReplyStep> {
    if (this.#message?.id === id) return []
    this.#message = { id, state: NEW_MESSAGE, stored: false, hasCalls: false, payloads: [] }
    return [{ kind: "assistant_message_start" }]
  }

  /** A block begins to stream. Behind a call nothing is read ahead: the call's result may be stored before it. */
  startBlock(kind: BlockKind): void {
    if (this.#message === null || this.#message.hasCalls) return
    this.#open = this.#opened(kind, this.#message.state)
  }

  pushBlock(kind: BlockKind, text: string): ReadonlyArray<ReplyStep> {
    if (this.#open?.kind !== kind) return []
    const steps = this.#open.block.push(text)
    this.#open.blocks.push(...payloadsOf(steps))
    return steps
  }

  /** Whether what has streamed is the beginning of the block. */
  isBeginning(kind: BlockKind, text: string): boolean {
    return this.#open?.kind === kind && text.startsWith(this.#open.block.raw)
  }

  /** A block is stored, and with it its message. */
  storeBlock(kind: BlockKind, text: string): ReadonlyArray<ReplyStep> {
    const message = this.#message
    if (message === null) return []
    const open = this.isBeginning(kind, text) ? this.#open : null
    const { block, blocks } = open ?? this.#opened(kind, message.state)
    this.#open = null
    const pushed = block.push(text.slice(block.raw.length))
    const { steps, state } = block.end()
    message.state = state
    message.stored = true
    message.payloads.push(...blocks, ...payloadsOf([...pushed, ...steps]))
    this.#failed = false
    return [...pushed, ...steps]
  }

  storeCall(id: string, name: string, input: Input): ReadonlyArray<ReplyStep> {
    if (this.#message !== null) {
      this.#message.hasCalls = true
      this.#message.stored = true
    }
    if (this.#calls.has(id)) return []
    const meta = metaOf(input)
    this.#calls.set(id, { name, meta })
    this.#context.sends.begin(id, name, input)
    const call = { phase: "start", name, toolCallId: id }
    return [{ kind: "block_reply_flush" }, agent("tool", { ...call, args: input }, call)]
  }

  /** A part of a call's result. */
  updateCall(id: string, content: unknown): ReadonlyArray<ReplyStep> {
    const call = this.#calls.get(id)
    if (call === undefined) return []
    const update = { phase: "update", name: call.name, toolCallId: id }
    return [agent("tool", { ...update, partialResult: sanitizedResult(content) }, update)]
  }

  endCall(id: string, content: unknown, failed: boolean, output: unknown): ReadonlyArray<ReplyStep> {
    const call = this.#calls.get(id)
    if (call === undefined) return []
    this.#calls.delete(id)
    const { settings, sends } = this.#context
    const result = sanitizedResult(content)
    const isError = failed || isErrorOutput(output)
    sends.end(id, isError)
    this.#noteOutcome(call, isError ? errorMessage(result) : null)
    const data = {
      phase: "result",
      name: call.name,
      toolCallId: id,
      ...(call.meta === undefined ? {} : { meta: call.meta }),
      isError,
    }
    const gates = { result: settings.shouldEmitToolResult === true, output: settings.shouldEmitToolOutput === true }
    const reply = toolReply({ ...call, isError }, resultText(result), gates)
    const steps: Array<ReplyStep> = [agent("tool", { ...data, result }, data)]
    return reply === null ? steps : [...steps, { kind: "tool_result", ...reply }]
  }

  /** A failure stays until the same call succeeds; that of a call which only looks, until any does. */
  #noteOutcome(call: OpenCall, error: string | undefined | null): void {
    const last = this.#lastError
    if (error !== null) this.#lastError = { ...call, error }
    else if (last !== null && (LOOKS.has(last.name) || (last.name === call.name && last.meta === call.meta)))
      this.#lastError = null
  }

  /** The message is complete. */
  endMessage(): ReadonlyArray<ReplyStep> {
    const message = this.#message
    this.#message = null
    this.#open = null
    if (message === null || message.hasCalls || !message.stored) return []
    const isHeld = this.#context.settings.blockReplyBreak === "message_end"
    const steps = isHeld ? heldBlocks(message.state, this.#context) : []
    this.#payloads.push(...message.payloads, ...payloadsOf(steps))
    return steps
  }

  /** A failure that is sent in the reply's place. */
  fail(text: string): ReadonlyArray<ReplyStep> {
    this.#failed = true
    this.#payloads.push({ text, isError: true })
    return [agent("error", { message: text }, { message: text }), { kind: "block_reply", text, isError: true }]
  }

  get failed(): boolean {
    return this.#failed
  }

  /** Another run goes on with the turn, and has a reply of its own. */
  resume(): void {
    this.#payloads = []
    this.#lastError = null
    this.#context.sends.forgetSent()
  }

  /** Everything begins again from a summary. */
  restart(): void {
    this.#message = null
    this.#open = null
    this.#calls.clear()
    this.#payloads = []
    this.#lastError = null
    this.#context.sends.clear()
  }

  /** The run has ended: a failed call is reported when nothing else was sent, unless the model can correct it itself. */
  end(): ReadonlyArray<ReplyStep> {
    const last = this.#lastError
    if (last === null || this.payloads.length > 0 || RECOVERABLE.test(last.error ?? "")) return []
    const text = `⚠️ ${toolLabel(last.name, last.meta)} failed${last.error === undefined ? "" : `: ${last.error}`}`
    this.#payloads.push({ text, isError: true })
    return [{ kind: "block_reply", text, isError: true }]
  }

  #opened(kind: BlockKind, state: MessageState) {
    const block: OpenBlock =
      kind === "text" ? new TextBlock(this.#context, state) : new ThinkingBlock(this.#context, state)
    return { kind, block, blocks: [] as Array<ReplyPayload> }
  }
}

/** What of the steps is part of the reply. */
const payloadsOf = (steps: ReadonlyArray<ReplyStep>): ReadonlyArray<ReplyPayload> =>
  steps.flatMap((step) => {
    if (step.kind !== "block_reply") return []
    const { text, mediaUrl, mediaUrls, replyToId, isError, isReasoning, audioAsVoice } = step
    return [
      {
        ...(text === undefined ? {} : { text }),
        ...(mediaUrl === undefined ? {} : { mediaUrl }),
        ...(mediaUrls === undefined ? {} : { mediaUrls }),
        ...(replyToId === undefined ? {} : { replyToId }),
        ...(isError === undefined ? {} : { isError }),
        ...(isReasoning === undefined ? {} : { isReasoning }),
        ...(audioAsVoice === undefined ? {} : { audioAsVoice }),
      },
    ]
  })

const agent = (stream: AgentStep["stream"], data: AgentStep["data"], shown: AgentStep["data"]): AgentStep => ({
  kind: "agent_event",
  stream,
  data,
  shown,
})
