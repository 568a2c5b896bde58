// Receives calls of messaging tools and their results; keeps what they have sent, and where.
// Invariant: a send counts once its call has succeeded; of each kind the last 200 are kept.
import type { MessagingTool, MessagingTools, ReplyRoute } from "../../schemas/interop/reply-settings.ts"
import { comparable, isDuplicate } from "./duplicates.ts"

/** Sends of a run that a block is compared with: the newest. */
const MAX_SENDS = 200

/** Where a message was sent, as `messagingToolSentTargets` has it. */
export interface SendTarget extends ReplyRoute {
  readonly tool: string
}

interface Send {
  readonly text: string
  readonly target: SendTarget
  readonly media: ReadonlyArray<string>
}

type Input = Readonly<Record<string, unknown>>

export class MessagingSends {
  readonly #tools: MessagingTools
  readonly #pending = new Map<string, Send>()
  #sent: Array<Send> = []

  constructor(tools: MessagingTools) {
    this.#tools = tools
  }

  /** A call begins; what it sends is pending. */
  begin(callId: string, name: string, input: Input): void {
    const tool = this.#tools.find((one) => one.name === name && isSend(one, input))
    const send = tool === undefined ? undefined : sendOf(tool, input)
    if (send !== undefined) this.#pending.set(callId, send)
  }

  /** A call has ended: what it sent is committed, or discarded. */
  end(callId: string, isError: boolean): void {
    const send = this.#pending.get(callId)
    this.#pending.delete(callId)
    if (send !== undefined && !isError) this.#sent = [...this.#sent, send].slice(-MAX_SENDS)
  }

  /** What was sent counts no more. */
  forgetSent(): void {
    this.#sent = []
  }

  /** The run begins again, and sends what it sends anew. */
  clear(): void {
    this.#pending.clear()
    this.forgetSent()
  }

  /** Whether a reply repeats what was sent to the place where the reply goes; without a route, to any place. */
  repeats(text: string, route: ReplyRoute | undefined): boolean {
    const sent = this.#sent.filter(({ target }) => isAt(target, route))
    return isDuplicate(
      text,
      sent.map((one) => comparable(one.text)),
    )
  }

  /** Media that were not sent already. */
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
    (["provider", "accountId", "to", "threadId"] as const).flatMap((field) => {
      const source = tool[field]
      if (source === undefined) return []
      const value = typeof source === "string" ? textOf(input[source]) : source.value
      return value === undefined ? [] : [[field, value]]
    }),
  )

/** A text, or a number as one: ids of chats are both. */
const textOf = (value: unknown): string | undefined => {
  const text = typeof value === "number" ? String(value) : typeof value === "string" ? value.trim() : ""
  return text === "" ? undefined : text
}

/** What the target leaves open is the same place. */
const isAt = (target: SendTarget, route: ReplyRoute | undefined): boolean =>
  route === undefined ||
  (["provider", "accountId", "to", "threadId"] as const).every(
    (field) => route[field] === undefined || target[field] === undefined || route[field] === target[field],
  )
