// Receives the raw events of one answer, in order; returns what each completes: blocks, stop reason, usage.
// Invariant: a block keeps the key order and the unknown fields of its start, so that it is sent back to the API unchanged.
import * as Result from "effect/Result"
import { parseJson } from "../../schemas/bounded-json.ts"
import { tokensOfLength } from "../catalogue/estimate.ts"
import type { RawStreamEvent } from "../messages-api.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"
import { textField } from "../../schemas/json/text-field.ts"

export type Fields = Record<string, unknown>

/** A block of an assistant message. */
export interface AssistantBlock {
  readonly type: string
  readonly [key: string]: unknown
}

/** What one event adds to the answer. */
export type Decoded =
  /** `message` is the API's own, with empty `content`. */
  | { readonly kind: "message_started"; readonly message: Fields }
  | { readonly kind: "block_started"; readonly index: number; readonly block: AssistantBlock }
  /** `invalid`: the tool call's input is no JSON object, or exceeds the bounds of JSON; `input` is then an `UnparsedInput`. */
  | {
      readonly kind: "block_finished"
      readonly index: number
      readonly block: AssistantBlock
      readonly invalid: boolean
    }
  | {
      readonly kind: "message_finished"
      readonly stop_reason: string | null
      readonly stop_sequence: string | null
      readonly stop_details?: unknown
      readonly usage: Fields
    }

interface OpenBlock {
  readonly start: RawStreamEvent
  readonly block: Fields & { type: string }
  /** Tool input so far, as text; null until the first piece arrives. */
  json: string | null
  citations: Array<unknown>
}

/** Replaces an input that can't be used; later requests repeat it to the API. */
export interface UnparsedInput extends Fields {
  readonly __unparsedToolInput: {
    readonly raw: string
    readonly len: number
    /** Which bound of JSON the input exceeds, as the end of a sentence. `raw` is then only its first characters. */
    readonly problem?: string
  }
}

/** How many characters are kept of an input that exceeds a bound. */
const SHOWN = 1000

export const unparsedInput = (raw: string, problem?: string, len = raw.length): UnparsedInput => ({
  __unparsedToolInput: { raw, len, ...(problem === undefined ? {} : { problem }) },
})

/** Which bound of JSON the input of a call exceeded, or undefined. */
export const brokenBound = (input: unknown): string | undefined => {
  const unparsed = isPlainObject(input) ? input["__unparsedToolInput"] : undefined
  return isPlainObject(unparsed) && typeof unparsed["problem"] === "string" ? unparsed["problem"] : undefined
}

const THINKING = new Set(["thinking", "redacted_thinking"])

/** Decodes one answer. Events of unknown types and deltas of unknown types change nothing. */
export class StreamDecoder {
  #messageStart: RawStreamEvent | null = null
  #usage: Fields = {}
  #delta: Fields = {}
  /** Characters received of each block: text, thinking, tool input, the name of a tool. */
  readonly #received = new Map<unknown, number>()
  #hasContent = false
  readonly #open = new Map<number, OpenBlock>()
  readonly #maxTokens: number

  /** `maxTokens` is the request's `max_tokens`: no answer is longer, whatever its text is estimated at. */
  constructor(maxTokens = Number.POSITIVE_INFINITY) {
    this.#maxTokens = maxTokens
  }

  /** The answer's usage so far: that of `message_start`, overlaid with that of `message_delta`. */
  get usage(): Fields {
    return this.#usage
  }

  /**
   * About how many tokens were received. Used for an answer that was cut off, whose `usage` has only the counts of its start;
   * the official SDK estimates the cost of a lost answer in the same way.
   */
  get estimatedOutputTokens(): number {
    let tokens = 0
    for (const length of this.#received.values()) tokens += tokensOfLength(length)
    return Math.min(tokens, this.#maxTokens)
  }

  /** The API's message without content, or null before `message_start`. */
  get message(): Fields | null {
    const message = this.#messageStart?.["message"]
    return isPlainObject(message) ? message : null
  }

  push(event: RawStreamEvent): Decoded | null {
    switch (event.type) {
      case "content_block_delta":
        this.#blockDelta(event)
        return null
      case "content_block_start":
        return this.#blockStart(event)
      case "content_block_stop":
        return this.#blockStop(event)
      case "message_start":
        return this.#start(event)
      case "message_delta":
        if (isPlainObject(event["delta"])) this.#delta = { ...this.#delta, ...event["delta"] }
        this.#addUsage(event["usage"])
        return null
      case "message_stop":
        return this.#finish()
      default:
        return null
    }
  }

  /** The events that a client which joins now must receive first: the message, the open blocks and their content so far. */
  partial(): ReadonlyArray<RawStreamEvent> {
    if (this.#messageStart === null) return []
    const events = [this.#messageStart]
    for (const [index, open] of this.#open) {
      events.push(open.start)
      for (const delta of deltasSoFar(open)) events.push({ type: "content_block_delta", index, delta })
    }
    return events
  }

  /** The answer's end, if only `message_stop` is missing: an answer that breaks off there is complete. Else null. */
  ended(): Extract<Decoded, { kind: "message_finished" }> | null {
    return typeof this.#delta["stop_reason"] === "string" && this.#open.size === 0 ? this.#finish() : null
  }

  /** True once a block other than thinking, such as a text or a call, has started. */
  get hasContent(): boolean {
    return this.#hasContent
  }

  /** The text so far of the open text block, or null when none is open. */
  openText(): string | null {
    for (const open of this.#open.values()) {
      if (open.block.type === "text") return textField(open.block, "text")
    }
    return null
  }

  #start(event: RawStreamEvent): Decoded | null {
    const message = event["message"]
    if (!isPlainObject(message)) return null
    this.#messageStart = event
    this.#open.clear()
    this.#delta = {}
    this.#received.clear()
    this.#hasContent = false
    this.#usage = {}
    this.#addUsage(message["usage"])
    return { kind: "message_started", message }
  }

  #blockStart(event: RawStreamEvent): Decoded | null {
    const { index, content_block: start } = event
    if (typeof index !== "number" || !isPlainObject(start) || typeof start["type"] !== "string") return null
    const block = { ...start, type: start["type"] }
    this.#hasContent ||= !THINKING.has(block.type)
    // A call's name is counted with its input.
    if (block.type === "tool_use") this.#receive(index, textField(start, "name"))
    const citations = Array.isArray(start["citations"]) ? [...start["citations"]] : []
    this.#open.set(index, { start: event, block, json: null, citations })
    return { kind: "block_started", index, block: { ...block } }
  }

  #blockDelta(event: RawStreamEvent): void {
    const { index, delta } = event
    const open = typeof index === "number" ? this.#open.get(index) : undefined
    if (open === undefined || !isPlainObject(delta)) return
    const { block } = open
    switch (delta["type"]) {
      case "text_delta":
        block["text"] = textField(block, "text") + this.#take(event, delta, "text")
        break
      case "thinking_delta":
        block["thinking"] = textField(block, "thinking") + this.#take(event, delta, "thinking")
        break
      case "signature_delta":
        block["signature"] = textField(block, "signature") + textField(delta, "signature")
        break
      case "input_json_delta":
        open.json = (open.json ?? "") + this.#take(event, delta, "partial_json")
        break
      case "citations_delta":
        open.citations.push(delta["citation"])
        break
    }
  }

  #take({ index }: RawStreamEvent, delta: Fields, key: string): string {
    const text = textField(delta, key)
    this.#receive(index, text)
    return text
  }

  #receive(index: unknown, text: string): void {
    this.#received.set(index, (this.#received.get(index) ?? 0) + text.length)
  }

  #blockStop(event: RawStreamEvent): Decoded | null {
    const index = event["index"]
    const open = typeof index === "number" ? this.#open.get(index) : undefined
    if (open === undefined || typeof index !== "number") return null
    this.#open.delete(index)
    if (open.citations.length > 0) open.block["citations"] = open.citations
    const input = inputOf(open)
    if (input === undefined) return { kind: "block_finished", index, block: open.block, invalid: false }
    open.block["input"] = input
    return { kind: "block_finished", index, block: open.block, invalid: "__unparsedToolInput" in input }
  }

  #finish(): Extract<Decoded, { kind: "message_finished" }> {
    const { stop_reason: reason, stop_sequence: sequence, stop_details: details } = this.#delta
    return {
      kind: "message_finished",
      stop_reason: typeof reason === "string" ? reason : null,
      stop_sequence: typeof sequence === "string" ? sequence : null,
      ...(details === undefined || details === null ? {} : { stop_details: details }),
      usage: this.#usage,
    }
  }

  #addUsage(usage: unknown): void {
    if (!isPlainObject(usage)) return
    const reported = Object.entries(usage).filter(([, value]) => value !== null)
    this.#usage = { ...this.#usage, ...Object.fromEntries(reported) }
  }
}

/** The input parsed from a block's pieces; undefined when the block needs no change. */
const inputOf = (open: OpenBlock): Fields | undefined => {
  if (open.json === null || open.json.trim() === "") {
    return open.block.type === "tool_use" && !isPlainObject(open.block["input"]) ? {} : undefined
  }
  const parsed = parseJson(open.json)
  if (Result.isSuccess(parsed)) return isPlainObject(parsed.success) ? parsed.success : unparsedInput(open.json)
  const { fault, message } = parsed.failure
  return fault === "syntax"
    ? unparsedInput(open.json)
    : unparsedInput(open.json.slice(0, SHOWN), message, open.json.length)
}

/** The deltas that turn the block's start into its current state. */
const deltasSoFar = (open: OpenBlock): ReadonlyArray<Fields> => {
  const start = isPlainObject(open.start["content_block"]) ? open.start["content_block"] : {}
  const added = (key: string): string => textField(open.block, key).slice(textField(start, key).length)
  const given = Array.isArray(start["citations"]) ? start["citations"].length : 0
  const deltas: Array<Fields> = []
  if (added("text") !== "") deltas.push({ type: "text_delta", text: added("text") })
  if (added("thinking") !== "") deltas.push({ type: "thinking_delta", thinking: added("thinking") })
  if (added("signature") !== "") deltas.push({ type: "signature_delta", signature: added("signature") })
  if (open.json !== null && open.json !== "") deltas.push({ type: "input_json_delta", partial_json: open.json })
  for (const citation of open.citations.slice(given)) deltas.push({ type: "citations_delta", citation })
  return deltas
}
