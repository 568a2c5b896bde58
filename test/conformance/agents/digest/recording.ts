// The parts of a scenario's run that digests read, and shared helpers: names of calls and agents.
import type { ApiRequest } from "../../../support/session/api-log.ts"
import type { Sources } from "./texts.ts"
import { Texts } from "./texts.ts"

export type Fields = Readonly<Record<string, unknown>>

/** A message of the SDK, read by field: recordings have more fields than its types. */
export type RawMessage = Fields & { readonly type: string }

export type Event =
  | { readonly kind: "message"; readonly message: RawMessage }
  | { readonly kind: "hook"; readonly event: string; readonly input: Fields; readonly output: unknown }
  | {
      readonly kind: "permission"
      readonly tool: string
      readonly input: Fields
      readonly options: Fields
      readonly signal: boolean
      result?: unknown
    }
  | { readonly kind: "note"; readonly name: string; readonly facts: Fields }

export interface StepRecording {
  readonly timeline: ReadonlyArray<Event>
  readonly requests: ReadonlyArray<ApiRequest>
  /** The prompts of the agents and of the session: texts that a request's system prompt may contain. */
  readonly prompts: ReadonlyArray<string>
  /** True if the options name the session's tools. */
  readonly namesTools: boolean
  /** The prompts of the agents whose definition names their tools. */
  readonly limited: ReadonlyArray<string>
  readonly ends: string
}

export interface Recording {
  readonly cwd: string
  readonly lanes: boolean
  readonly sources: Sources
  readonly steps: ReadonlyArray<StepRecording>
}

/** A recorded fact and the conversation it belongs to: "" is the session's own. `call`: set if it belongs to one of several parallel calls. */
export interface LanedFact {
  readonly lane: string
  readonly call?: string | undefined
  readonly fact: Fields
}

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {})

export const listOf = (value: unknown): ReadonlyArray<Fields> => (Array.isArray(value) ? value.filter(isFields) : [])

/** A message's content as blocks. */
export const blocksOf = (content: unknown): ReadonlyArray<Fields> =>
  typeof content === "string" ? [{ type: "text", text: content }] : listOf(content)

export const pick = (from: Fields, keys: ReadonlyArray<string>): Fields =>
  Object.fromEntries(keys.filter((key) => from[key] !== undefined).map((key) => [key, from[key]]))

export const presentKeys = (from: Fields, keys: ReadonlyArray<string>): string =>
  keys
    .filter((key) => from[key] !== undefined)
    .toSorted()
    .join(" ")

/** Keys of results that the recorded software adds to what the SDK's types publish. */
const UNPUBLISHED = /^(canContinueAgent|harness[A-Z].*)$/

export const allKeys = (from: unknown): string | undefined =>
  isFields(from)
    ? Object.keys(from)
        .filter((key) => from[key] !== undefined && !UNPUBLISHED.test(key))
        .toSorted()
        .join(" ")
    : undefined

export const withoutEmpty = (from: Fields): Fields =>
  Object.fromEntries(Object.entries(from).filter(([, value]) => value !== undefined && value !== null))

/** `system/init` for a system message, else its type. */
export const typeOf = (message: RawMessage): string =>
  message.type === "system" ? `system/${String(message["subtype"])}` : message.type

const compare = (a = "", b = ""): number => (a < b ? -1 : a > b ? 1 : 0)

/** Shared by the parts of a digest. */
export class Reader {
  readonly texts: Texts
  readonly lanes: boolean
  readonly #calls = new Map<unknown, string>()

  constructor(recording: Recording) {
    this.texts = new Texts(recording.sources, recording.cwd)
    this.lanes = recording.lanes
    for (const { timeline } of recording.steps) {
      for (const event of timeline) if (event.kind === "message") this.#learn(event.message)
    }
  }

  /** The label of a call: scripts give each call its id. */
  label(id: unknown): string | undefined {
    return typeof id === "string" ? id.replace(/^toolu_/, "") : undefined
  }

  /** The call that started an agent or a task; "?" if no message names it. */
  callOf(agent: unknown): string | undefined {
    return agent === undefined || agent === null ? undefined : (this.#calls.get(agent) ?? "?")
  }

  block(block: Fields): string {
    switch (block["type"]) {
      case "text":
        return `text ${JSON.stringify(this.texts.show(block["text"]))}`
      case "thinking":
        return `thinking ${JSON.stringify(this.texts.show(block["thinking"]))}`
      case "tool_use":
        return `tool_use ${this.label(block["id"])} ${String(block["name"])}`
      case "tool_result": {
        const flag = block["is_error"] === true ? " error" : ""
        return `tool_result ${this.label(block["tool_use_id"])}${flag} ${this.#resultContent(block["content"])}`
      }
      default:
        return String(block["type"])
    }
  }

  /** In order, or lane after lane if agents run in parallel. */
  inLanes(facts: ReadonlyArray<LanedFact>): ReadonlyArray<Fields> {
    if (!this.lanes) return facts.map(({ fact }) => fact)
    const ordered = facts.toSorted((a, b) => compare(a.lane, b.lane))
    for (let from = 0; from < ordered.length; from += 1) {
      const end = ordered.findIndex(({ call }, index) => index >= from && call === undefined)
      const run = ordered.slice(from, end < 0 ? ordered.length : end)
      ordered.splice(from, run.length, ...run.toSorted((a, b) => compare(a.lane, b.lane) || compare(a.call, b.call)))
      from += run.length
    }
    return ordered.map(({ fact }) => fact)
  }

  #learn(message: RawMessage): void {
    if (typeOf(message) === "system/task_started") {
      this.#calls.set(message["task_id"], this.label(message["tool_use_id"]) ?? "?")
    }
    if (message["agent_id"] !== undefined && message["parent_tool_use_id"] !== null) {
      this.#calls.set(message["agent_id"], this.label(message["parent_tool_use_id"]) ?? "?")
    }
  }

  #resultContent(content: unknown): string {
    if (typeof content === "string") return JSON.stringify(this.texts.show(content))
    const blocks = listOf(content).filter((block) => !isReminder(block))
    return `[${blocks.map((block) => this.block(block)).join(", ")}]`
  }
}

const startsWith = (block: Fields, pattern: RegExp): boolean =>
  block["type"] === "text" && typeof block["text"] === "string" && pattern.test(block["text"].trimStart())

export const isReminder = (block: Fields): boolean => startsWith(block, /^<system-reminder>/)

/** What the model reads about the process's own local commands. */
export const isCommandEcho = (block: Fields): boolean => startsWith(block, /^<(local-command-|command-name>)/)
