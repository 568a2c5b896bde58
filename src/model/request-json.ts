// Receives a request; returns its body as JSON text.
// Invariant: what was written before, and is the same object, is not written again: a step costs what it adds, not what
// the session holds. Messages and tools must therefore never be changed in place.
import type { MessagesRequest } from "./messages-api.ts"

type Message = MessagesRequest["messages"][number]

/** How a conversation begins, and the JSON of that. */
interface Beginning {
  readonly messages: ReadonlyArray<Message>
  /** Its messages with a comma behind each: texts that were added to one another, and are only copied when they are sent. */
  readonly json: string
  /** How many texts `json` is made of. */
  readonly pieces: number
}

const NOTHING: Beginning = { messages: [], json: "", pieces: 0 }
/** The last messages are other objects in the next request: a result is added to one, the breakpoint moves on. */
const UNSETTLED = 2
/** Texts are made one again before they are this many: each costs a little whenever they are sent. */
const MAX_PIECES = 256

export class RequestWriter {
  readonly #written = new WeakMap<object, string>()
  /** By the first message of the conversation: kept as long as somebody else keeps that one. */
  readonly #beginnings = new WeakMap<Message, Beginning>()

  write(request: MessagesRequest, stream: boolean): string {
    let body = "{"
    for (const [name, value] of Object.entries(request)) {
      const json = name === "messages" ? this.#messages(request.messages) : this.#json(value)
      if (json !== undefined) body += `${JSON.stringify(name)}:${json},`
    }
    return `${body}"stream":${stream}}`
  }

  #messages(messages: ReadonlyArray<Message>): string {
    const [first] = messages
    if (first === undefined) return "[]"
    const known = this.#beginnings.get(first)
    const holds = known?.messages.every((message, index) => message === messages[index]) === true
    const before = holds ? known : NOTHING
    const settled = messages.slice(
      before.messages.length,
      Math.max(before.messages.length, messages.length - UNSETTLED),
    )
    const count = before.messages.length + settled.length
    let { json } = before
    for (const message of settled) {
      json += `${this.#json(message)},`
      // Its text is in the beginning from now on.
      this.#written.delete(message)
    }
    if (settled.length > 0)
      this.#beginnings.set(first, begun(messages.slice(0, count), json, before.pieces + settled.length))
    const rest = messages.slice(count).map((message) => this.#json(message))
    return rest.length === 0 ? `[${json.slice(0, -1)}]` : `[${json}${rest.join(",")}]`
  }

  /** Undefined for what is undefined, as `JSON.stringify`. */
  #json(value: unknown): string | undefined {
    if (typeof value !== "object" || value === null) return JSON.stringify(value) as string | undefined
    const known = this.#written.get(value)
    if (known !== undefined) return known
    // Lists of tools are made anew for each turn, of tools that are the same.
    const json = Array.isArray(value) ? `[${value.map((item) => this.#json(item)).join(",")}]` : JSON.stringify(value)
    this.#written.set(value, json)
    return json
  }
}

const begun = (messages: ReadonlyArray<Message>, json: string, pieces: number): Beginning =>
  pieces < MAX_PIECES ? { messages, json, pieces } : { messages, json: [json, ""].join(""), pieces: 1 }
