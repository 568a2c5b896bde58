// Receives the messages, blocks and calls of one run; returns them as steps, and collects the run's reply.
// Invariant: the steps of stored content depend on stored content alone; streamed steps only anticipate them. Each call has a
// start and at most one result.
import type { MessagingSends } from "./messaging-sends.ts"
import { agentStep, type ReplyPayload, type ReplyStep } from "./reply-steps.ts"
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

/** A message of the model. `stored`: at least one of its blocks is in the log. */
interface Message {
  readonly id: string
  state: MessageState
  stored: boolean
  hasCalls: boolean
  payloads: Array<ReplyPayload>
}

/** Tools that only read: the failure of such a call is not reported once any later call succeeds. */
const READ_ONLY_TOOLS = new Set([
  "Read",
  "Glob",
  "Grep",
  "WebFetch",
  "WebSearch",
  "ListMcpResources",
  "ReadMcpResource",
  "ToolSearch",
])
/** Errors that the model can correct itself; they are not reported. */
const RECOVERABLE = /required|missing|invalid|must be|must have|needs|requires/i

export type BlockKind = "text" | "thinking"

export class RunReply {
  readonly #context: ReplyContext
  #message: Message | null = null
  #open: { readonly kind: BlockKind; readonly block: OpenBlock; readonly blocks: Array<ReplyPayload> } | null = null
  readonly #calls = new Map<string, OpenCall>()
  #payloads: Array<ReplyPayload> = []
  #lastError: (OpenCall & { readonly error: string | undefined }) | null = null
  /** Whether the model's last message reports the failure of its request. */
  #failed = false

  constructor(context: ReplyContext) {
    this.#context = context
  }

  get sends(): MessagingSends {
    return this.#context.sends
  }

  /** The reply so far: texts and media that channels deliver. */
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

  /** Whether anything has streamed that is not stored yet. */
  get hasUnstored(): boolean {
    return this.#open !== null || this.#message?.stored === false
  }

  get hasOpenBlock(): boolean {
    return this.#open !== null
  }

  /** Discards what has streamed and is not stored. */
  forget(): void {
    this.#open = null
    if (this.#message?.stored === false) this.#message = null
  }

  startMessage(id: string): ReadonlyArray<ReplyStep> {
    if (this.#message?.id === id) return []
    this.#message = { id, state: NEW_MESSAGE, stored: false, hasCalls: false, payloads: [] }
    return [{ kind: "assistant_message_start" }]
  }

  /** Call it when a block starts to stream. Blocks after a call are not streamed: the call's result may be stored before them. */
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

  /** Whether the text that has streamed is a prefix of the block. */
  isBeginning(kind: BlockKind, text: string): boolean {
    return this.#open?.kind === kind && text.startsWith(this.#open.block.raw)
  }

  /** Adds a stored block, which makes its message a stored one; returns the steps that had not been streamed. */
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
    return [{ kind: "block_reply_flush" }, agentStep("tool", { ...call, args: input }, call)]
  }

  /** Returns the update step for a partial result of an open call. */
  updateCall(id: string, content: unknown): ReadonlyArray<ReplyStep> {
    const call = this.#calls.get(id)
    if (call === undefined) return []
    const update = { phase: "update", name: call.name, toolCallId: id }
    return [agentStep("tool", { ...update, partialResult: sanitizedResult(content) }, update)]
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
    const steps: Array<ReplyStep> = [agentStep("tool", { ...data, result }, data)]
    return reply === null ? steps : [...steps, { kind: "tool_result", ...reply }]
  }

  /** Keeps the last failure until the same call succeeds; the failure of a read-only call is cleared by any success. */
  #noteOutcome(call: OpenCall, error: string | undefined | null): void {
    const last = this.#lastError
    if (error !== null) this.#lastError = { ...call, error }
    else if (last !== null && (READ_ONLY_TOOLS.has(last.name) || (last.name === call.name && last.meta === call.meta)))
      this.#lastError = null
  }

  /** Call it when the message is complete. Adds it to the reply unless it has calls; returns the blocks that were held back. */
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

  /** Adds an error message to the reply. */
  fail(text: string): ReadonlyArray<ReplyStep> {
    this.#failed = true
    this.#payloads.push({ text, isError: true })
    return [agentStep("error", { message: text }), { kind: "block_reply", text, isError: true }]
  }

  get failed(): boolean {
    return this.#failed
  }

  /** Call it when another run continues the turn: it starts with an empty reply. */
  resume(): void {
    this.#payloads = []
    this.#lastError = null
    this.#context.sends.forgetSent()
  }

  /** Discards the reply so far, because the turn restarts from a summary of the conversation. */
  restart(): void {
    this.#message = null
    this.#open = null
    this.#calls.clear()
    this.#payloads = []
    this.#lastError = null
    this.#context.sends.clear()
  }

  /** Call it when the run has ended. Reports the last failed call if the reply is empty and the model cannot correct the error. */
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

/** The payloads of those steps that are part of the reply. */
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
