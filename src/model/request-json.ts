// Receives a request; returns its body as JSON text.
// Invariant: what was written before, and is the same object, is not written again: a step costs what it adds, not what
// the session holds. Messages and tools must therefore never be changed in place.
import type { MessagesRequest } from "./messages-api.ts"

type Message = MessagesRequest["messages"][number]

/** How a conversation begins, and the JSON of that: its messages, joined. */
interface Beginning {
  readonly messages: ReadonlyArray<Message>
  readonly json: string
}

/** The last messages are other objects in the next request: a result is added to one, the breakpoint moves on. */
const UNSETTLED = 2

export class RequestWriter {
  readonly #written = new WeakMap<object, string>()
  /** By the first message of the conversation: kept as long as somebody else keeps that one. */
  readonly #beginnings = new WeakMap<Message, Beginning>()

  write(request: MessagesRequest, stream: boolean): string {
    const members: Array<string> = []
    for (const [name, value] of Object.entries(request)) {
      const json = name === "messages" ? this.#messages(request.messages) : this.#json(value)
      if (json !== undefined) members.push(`${JSON.stringify(name)}:${json}`)
    }
    return `{${members.join(",")},"stream":${stream}}`
  }

  #messages(messages: ReadonlyArray<Message>): string {
    const [first] = messages
    if (first === undefined) return "[]"
    const known = this.#beginnings.get(first)
    const holds = known?.messages.every((message, index) => message === messages[index]) === true
    const before: Beginning = holds ? known : { messages: [], json: "" }
    const count = Math.max(before.messages.length, messages.length - UNSETTLED)
    const settled = messages.slice(before.messages.length, count)
    const json = joined(
      before.json,
      settled.map((message) => this.#json(message)),
    )
    if (count > 0 && settled.length > 0) this.#beginnings.set(first, { messages: messages.slice(0, count), json })
    // Their text is in the beginning from now on.
    for (const message of settled) this.#written.delete(message)
    return `[${joined(
      json,
      messages.slice(count).map((message) => this.#json(message)),
    )}]`
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

const joined = (json: string, more: ReadonlyArray<string | undefined>): string =>
  (json === "" ? more : [json, ...more]).join(",")
