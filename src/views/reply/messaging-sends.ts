// Receives calls of messaging tools and their results; keeps the messages that they have sent, and their targets.
// Invariant: a send counts once its call has succeeded; the last 200 sends are kept.
import type { MessagingTool, MessagingTools, ReplyRoute } from "../../schemas/interop/reply-settings.ts"
import { isDuplicate } from "./duplicates.ts"

/** The number of newest sends of a run with which a block is compared. */
const MAX_SENDS = 200

/** The target of a sent message, in the shape of `messagingToolSentTargets`. */
export interface SendTarget extends ReplyRoute {
  readonly tool: string
}

interface Send {
  readonly text: string
  readonly target: SendTarget
  readonly media: ReadonlyArray<string>
}

type Input = Readonly<Record<string, unknown>>

const ROUTE_FIELDS = ["provider", "accountId", "to", "threadId"] as const

export class MessagingSends {
  readonly #tools: MessagingTools
  readonly #pending = new Map<string, Send>()
  #sent: Array<Send> = []

  constructor(tools: MessagingTools) {
    this.#tools = tools
  }

  /** Call it when a call starts; its message is pending. */
  begin(callId: string, name: string, input: Input): void {
    const tool = this.#tools.find((one) => one.name === name && isSend(one, input))
    const send = tool === undefined ? undefined : sendOf(tool, input)
    if (send !== undefined) this.#pending.set(callId, send)
  }

  /** Call it when a call has ended: its message is committed, or discarded on an error. */
  end(callId: string, isError: boolean): void {
    const send = this.#pending.get(callId)
    this.#pending.delete(callId)
    if (send !== undefined && !isError) this.#sent = [...this.#sent, send].slice(-MAX_SENDS)
  }

  /** Forgets all committed messages. */
  forgetSent(): void {
    this.#sent = []
  }

  /** Forgets committed and pending messages, because the run restarts and sends them again. */
  clear(): void {
    this.#pending.clear()
    this.forgetSent()
  }

  /** Whether a reply repeats a message that was sent to the reply's own route; without a route, to any target. */
  repeats(text: string, route: ReplyRoute | undefined): boolean {
    const sent = this.#sent.filter(({ target }) => isAt(target, route))
    return isDuplicate(
      text,
      sent.map((one) => one.text),
    )
  }

  /** Those media that have not been sent to the route yet. */
  unsent(media: ReadonlyArray<string>, route: ReplyRoute | undefined): ReadonlyArray<string> {
    if (this.#sent.length === 0) return media
    const sent = this.#sent.filter(({ target }) => isAt(target, route)).flatMap((one) => one.media)
    return media.filter((url) => !sent.includes(url))
  }

  get texts(): ReadonlyArray<string> {
    return this.#sent.map(({ text }) => text).filter((text) => text !== "")
  }

  get targets(): ReadonlyArray<SendTarget> {
    return this.#sent.flatMap(({ target }) => (target.to === undefined ? [] : [target]))
  }
}

const isSend = ({ when = {} }: MessagingTool, input: Input): boolean =>
  Object.entries(when).every(([field, wanted]) => {
    const value = String(input[field] ?? "").trim()
    return typeof wanted === "string" ? value === wanted : wanted.includes(value)
  })

const sendOf = (tool: MessagingTool, input: Input): Send | undefined => {
  const text = textOf(input[tool.text]) ?? ""
  const given = tool.media === undefined ? undefined : input[tool.media]
  const media = [given].flat().flatMap((one) => textOf(one) ?? [])
  const target = { tool: tool.name, ...routeOf(tool, input) }
  return text === "" && media.length === 0 && target.to === undefined ? undefined : { text, target, media }
}

const routeOf = (tool: MessagingTool, input: Input): ReplyRoute =>
  Object.fromEntries(
    ROUTE_FIELDS.flatMap((field) => {
      const source = tool[field]
      if (source === undefined) return []
      const value = typeof source === "string" ? textOf(input[source]) : source.value
      return value === undefined ? [] : [[field, value]]
    }),
  )

/** A string, or a number as a string, because chat ids may be either; undefined if it is blank. */
const textOf = (value: unknown): string | undefined => {
  const text = typeof value === "number" ? String(value) : typeof value === "string" ? value.trim() : ""
  return text === "" ? undefined : text
}

/** Whether a target matches the route; fields that one of them does not name match any value. */
const isAt = (target: SendTarget, route: ReplyRoute | undefined): boolean =>
  route === undefined ||
  ROUTE_FIELDS.every(
    (field) => route[field] === undefined || target[field] === undefined || route[field] === target[field],
  )
