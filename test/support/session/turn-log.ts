// Writes logs by hand: each method adds one event as a session would, and returns it.
// Ids and times are counted, so that two logs written alike are alike.
import type { CallFinished } from "../../../src/schemas/log/event-payloads.ts"
import type { LogEvent } from "../../../src/schemas/log/events.ts"
import { logEvent } from "./log-event.ts"

export const SESSION = "0199a000-0000-7000-8000-000000000001"
export const START = Date.UTC(2026, 10, 21, 12, 0, 0)

const uuidOf = (n: number): string => `0199b000-0000-7000-8000-${n.toString(16).padStart(12, "0")}`

type Fields = Readonly<Record<string, unknown>>

export class TurnLog {
  readonly events: Array<LogEvent> = []
  turn = uuidOf(0xfff)
  parent: string | null = null
  now = START

  add(name: string, payload: unknown, turn: string | null = this.turn): LogEvent {
    this.now += 10
    const seq = this.events.length + 1
    const place = { seq, uuid: uuidOf(seq), turn, parent_tool_use_id: this.parent, at: this.now }
    const event = logEvent({ ...place, name, payload })
    this.events.push(event)
    return event
  }

  /** Starts another turn; the events that follow belong to it. */
  queued(prompt: unknown, options: Fields = {}): LogEvent {
    this.turn = uuidOf(0x1000 + this.events.length)
    return this.add("turn:queued", { prompt, options })
  }

  init(fields: Fields = {}): LogEvent {
    return this.sdk("system/init", {
      model: "claude-opus-5-5",
      permissionMode: "acceptEdits",
      cwd: "/workspace",
      ...fields,
    })
  }

  sdk(kind: string, fields: Fields): LogEvent {
    const [type, subtype] = kind.split("/")
    const uuid = uuidOf(this.events.length + 1)
    const base = { type, ...(subtype === undefined ? {} : { subtype }), uuid, session_id: SESSION }
    return this.add(`sdk:${kind}`, { ...base, ...fields })
  }

  block(messageId: string, ...blocks: ReadonlyArray<Fields>): LogEvent {
    const message = { id: messageId, type: "message", role: "assistant", model: "claude-opus-5-5", content: blocks }
    return this.sdk("assistant", { message, parent_tool_use_id: this.parent })
  }

  text(messageId: string, text: string): LogEvent {
    return this.block(messageId, { type: "text", text })
  }

  toolUse(messageId: string, id: string, name: string, input: Fields): LogEvent {
    return this.block(messageId, { type: "tool_use", id, name, input })
  }

  toolResult(
    id: string,
    content: unknown,
    fields: { readonly is_error?: boolean; readonly output?: unknown } = {},
  ): LogEvent {
    const error = fields.is_error === undefined ? {} : { is_error: fields.is_error }
    const result = { type: "tool_result", tool_use_id: id, content, ...error }
    return this.sdk("user", {
      message: { role: "user", content: [result] },
      parent_tool_use_id: this.parent,
      ...(fields.output === undefined ? {} : { tool_use_result: fields.output }),
    })
  }

  hook(name: string, input: Fields = {}, outcome: Fields = {}): LogEvent {
    return this.add("hook:fired", { id: uuidOf(this.events.length + 1), hook_event_name: name, input, outcome })
  }

  call(messageId: string, fields: Partial<CallFinished> = {}): LogEvent {
    const call: CallFinished = {
      message_id: messageId,
      request_id: null,
      model: "claude-opus-5-5",
      stop_reason: "end_turn",
      usage: { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 3, cache_creation_input_tokens: 2 },
      usd: 0.25,
      price_version: "test",
      duration_ms: 5,
      wasted: false,
      ...fields,
    }
    return this.add("call:finished", call)
  }

  result(subtype = "success", fields: Fields = {}): LogEvent {
    return this.sdk(`result/${subtype}`, { is_error: subtype !== "success", duration_ms: 0, ...fields })
  }
}
