// Creates logs with the stream events that precede each stored block, as a session emits them, and the catch-up of a reader
// that joins between any two of them.
import * as fc from "fast-check"
import type { LogEvent } from "../../../src/schemas/log/events.ts"
import type { ViewEvent } from "../../../src/views/live/live-view.ts"
import { StreamDecoder } from "../../../src/model/answer/stream-decoder.ts"
import type { RawStreamEvent } from "../../../src/model/messages-api.ts"
import { SESSION, TurnLog } from "../../support/session/turn-log.ts"

/** One item that a reader receives: an event of the log, or a stream event. */
export type Step =
  | { readonly logged: LogEvent }
  | { readonly streamed: RawStreamEvent; readonly turn: string; readonly at: number }

export type BlockPlan =
  | { readonly kind: "text" | "thinking"; readonly pieces: ReadonlyArray<string> }
  | { readonly kind: "redacted" }
  | { readonly kind: "tool" | "server"; readonly pieces: ReadonlyArray<string> }

export interface AnswerPlan {
  readonly blocks: ReadonlyArray<BlockPlan>
  /** How the answer ends: complete; interrupted in its last block, which is lost, or kept if it is a text; never, by a crash. */
  readonly end: "whole" | "cut" | "kept" | "crash"
  /** The number of failed attempts before it. */
  readonly retries: number
}

const piece = fc.string({ maxLength: 5 })
const block: fc.Arbitrary<BlockPlan> = fc.oneof(
  fc.record({
    kind: fc.constantFrom("text" as const, "thinking" as const),
    pieces: fc.array(piece, { maxLength: 4 }),
  }),
  fc.constant<BlockPlan>({ kind: "redacted" }),
  fc.record({ kind: fc.constantFrom("tool" as const, "server" as const), pieces: fc.array(piece, { maxLength: 3 }) }),
)
const answer: fc.Arbitrary<AnswerPlan> = fc.record({
  blocks: fc.array(block, { minLength: 1, maxLength: 4 }),
  end: fc.constantFrom("whole", "whole", "cut", "kept", "crash"),
  retries: fc.nat({ max: 1 }),
})

/** Turns of answers; `back` is by how many of them the head moves back after each. */
export interface SessionPlan {
  readonly turns: ReadonlyArray<{
    readonly answers: ReadonlyArray<AnswerPlan>
    readonly back: number
    readonly agent: boolean
    /** Prompts that arrive while the turn runs: each is withdrawn at once or late, or joins the turn after calls. */
    readonly behind: ReadonlyArray<"at once" | "late" | "joins">
  }>
}

export const sessionPlans: fc.Arbitrary<SessionPlan> = fc.record({
  turns: fc.array(
    fc.record({
      answers: fc.array(answer, { minLength: 1, maxLength: 3 }),
      back: fc.constantFrom(0, 0, 0, 1, 2),
      agent: fc.boolean(),
      behind: fc.array(fc.constantFrom("at once", "late", "joins"), { maxLength: 3 }),
    }),
    { minLength: 1, maxLength: 3 },
  ),
})

export const stepsOf = (plan: SessionPlan): ReadonlyArray<Step> => new Writer().write(plan)

class Writer {
  readonly #log = new TurnLog()
  readonly #steps: Array<Step> = []
  #count = 0
  #logged = 0
  #isAsked = true

  write({ turns }: SessionPlan): ReadonlyArray<Step> {
    const log = this.#log
    const ends: Array<number> = []
    for (const { answers, back, agent, behind } of turns) {
      log.queued("Do it")
      log.init()
      this.#isAsked = true
      let waiting = behind.map((fate) => ({ fate, turn: this.#queued() }))
      const settle = (isMeant: (fate: string) => boolean, end: (turn: string) => void) => {
        for (const { turn } of waiting.filter(({ fate }) => isMeant(fate))) end(turn)
        waiting = waiting.filter(({ fate }) => !isMeant(fate))
      }
      const takeBack = (turn: string) => log.add("turn:cancelled", {}, turn)
      settle((fate) => fate === "at once", takeBack)
      for (const one of answers) {
        if (!this.#answer(one, agent)) continue
        const joined = (turn: string) => log.add("turn:joined", { turn, prompt: "And this" })
        settle((fate) => fate === "joins", joined)
      }
      log.result()
      settle(() => true, takeBack)
      ends.push(log.events.length)
      if (back > 0) log.add("head:moved", { to_seq: ends.at(-1 - back) ?? 0 }, null)
      this.#sync()
    }
    return this.#steps
  }

  /** A prompt that arrives while a turn runs; returns its own turn. */
  #queued(): string {
    const log = this.#log
    const running = log.turn
    log.queued("And this")
    const { turn } = log
    log.turn = running
    return turn
  }

  #sync(): void {
    for (const logged of this.#log.events.slice(this.#logged)) this.#steps.push({ logged })
    this.#logged = this.#log.events.length
  }

  #stream(streamed: RawStreamEvent): void {
    this.#sync()
    this.#steps.push({ streamed, turn: this.#log.turn, at: this.#log.now })
  }

  /** Returns whether it ended with the results of calls. */
  #answer({ blocks, end, retries }: AnswerPlan, agent: boolean): boolean {
    const log = this.#log
    // The loop requested what follows an answer without calls.
    if (!this.#isAsked) log.sdk("user", { isSynthetic: true, message: { role: "user", content: "Go on" } })
    this.#isAsked = true
    for (let attempt = 1; attempt <= retries; attempt += 1)
      log.sdk("system/api_retry", {
        attempt,
        max_retries: 10,
        retry_delay_ms: 5,
        error_status: 529,
        error: "overloaded",
      })
    this.#count += 1
    const id = `msg_${this.#count}`
    this.#stream({ type: "message_start", message: { id, model: "claude-opus-5-5", content: [] } })
    const calls: Array<string> = []
    let isStored = false
    for (const [index, plan] of blocks.entries()) {
      const isCut = end !== "whole" && index === blocks.length - 1
      const stored = this.#block(index, plan, `${id}_${index}`, isCut)
      if (stored === null || (isCut && !(end === "kept" && plan.kind === "text"))) continue
      log.block(id, stored)
      isStored = true
      if (plan.kind === "tool") calls.push(`${id}_${index}`)
      if (!isCut) this.#stream({ type: "content_block_stop", index })
    }
    if (end === "crash" && !isStored) return false
    this.#isAsked = calls.length > 0
    log.call(id, end === "whole" ? {} : { stop_reason: null, wasted: !isStored })
    if (end === "whole") this.#stream({ type: "message_stop" })
    for (const call of calls) {
      log.hook("PreToolUse", { tool_use_id: call })
      if (agent) this.#agent(call)
      log.toolResult(call, "done")
    }
    return calls.length > 0
  }

  /** A subagent's messages are stored as a whole. */
  #agent(call: string): void {
    const log = this.#log
    log.parent = call
    log.sdk("user", { message: { role: "user", content: "Look" }, parent_tool_use_id: call })
    log.text(`${call}_agent`, "Found")
    log.call(`${call}_agent`)
    log.parent = null
  }

  /** Streams a block; returns it as stored, or null if it is only white space. */
  #block(index: number, plan: BlockPlan, id: string, isCut: boolean): Readonly<Record<string, unknown>> | null {
    const start = (content_block: Readonly<Record<string, unknown>>) =>
      this.#stream({ type: "content_block_start", index, content_block })
    const delta = (given: Readonly<Record<string, unknown>>) =>
      this.#stream({ type: "content_block_delta", index, delta: given })
    const stop = () => {
      if (!isCut) this.#stream({ type: "content_block_stop", index })
    }
    switch (plan.kind) {
      case "text": {
        start({ type: "text", text: "" })
        for (const text of plan.pieces) delta({ type: "text_delta", text })
        const text = plan.pieces.join("")
        if (text.trim() === "") {
          stop()
          return null
        }
        return { type: "text", text }
      }
      case "thinking":
        start({ type: "thinking", thinking: "", signature: "" })
        for (const thinking of plan.pieces) delta({ type: "thinking_delta", thinking })
        delta({ type: "signature_delta", signature: "sig" })
        return { type: "thinking", thinking: plan.pieces.join(""), signature: "sig" }
      case "redacted":
        start({ type: "redacted_thinking", data: "abc" })
        return { type: "redacted_thinking", data: "abc" }
      default: {
        const input = { value: plan.pieces.join("") }
        const type = plan.kind === "tool" ? "tool_use" : "server_tool_use"
        start({ type, id, name: "Read", input: {} })
        const json = JSON.stringify(input)
        const cuts = [0, ...plan.pieces.map((_, at) => Math.min(json.length, (at + 1) * 3)), json.length]
        for (const [at, from] of cuts.entries())
          delta({ type: "input_json_delta", partial_json: json.slice(from, cuts[at + 1] ?? json.length) })
        return { type, id, name: "Read", input }
      }
    }
  }
}

export const streamEvent = ({ streamed, turn, at }: Extract<Step, { streamed: unknown }>): ViewEvent =>
  ({
    seq: null,
    at,
    turn,
    name: "sdk:stream_event",
    uuid: "",
    parent: null,
    payload: { type: "stream_event", event: streamed, session_id: SESSION, parent_tool_use_id: null, uuid: "" },
  }) as unknown as ViewEvent // a stream event's fields are the API's own

/** What a reader that joins after `steps` receives of the streaming answer. */
export const catchUp = (steps: ReadonlyArray<Step>): ReadonlyArray<Step> => {
  const decoder = new StreamDecoder()
  let open: { turn: string; at: number } | null = null
  let index = 0
  for (const step of steps) {
    if ("streamed" in step) {
      decoder.push(step.streamed)
      if (step.streamed.type === "message_start") open = step
      if (typeof step.streamed["index"] === "number") index = step.streamed["index"]
    } else if (step.logged.name === "sdk:assistant" && step.logged.parent_tool_use_id === null) {
      // A session stores a block when it has read its end, and sends the end afterwards.
      decoder.push({ type: "content_block_stop", index })
    } else if (step.logged.name === "call:finished" && step.logged.parent_tool_use_id === null) open = null
    else if (step.logged.name.startsWith("sdk:result/")) open = null
  }
  return open === null ? [] : decoder.partial().map((streamed) => ({ ...open, streamed }))
}
