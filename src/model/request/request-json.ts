// Receives a request; returns its body: JSON as UTF-8, in which marks may take the place of media.
// Invariant: what was written before, and is the same object, is not written again: a step costs what it adds, not what
// the session holds. Messages and tools must therefore never be changed in place.
import { hasMarks } from "../../schemas/log/media-mark.ts"
import type { MessagesRequest } from "../messages-api.ts"

type Message = MessagesRequest["messages"][number]

/** The last messages are other objects in the next request: a result is added to one, the breakpoint moves on. */
const UNSETTLED = 2

/** Room for more, whenever there is none left. */
const GROWTH = 1.5

const encoder = new TextEncoder()

/** Text that grows at its end, as bytes. */
class Bytes {
  #buffer = new Uint8Array(1024)
  #length = 0
  /** True when it contains marks of media. */
  marked = false

  add(text: string): void {
    this.marked ||= hasMarks(text)
    const bytes = encoder.encode(text)
    const needed = this.#length + bytes.length
    if (needed > this.#buffer.length) {
      const larger = new Uint8Array(Math.ceil(needed * GROWTH))
      larger.set(this.#buffer.subarray(0, this.#length))
      this.#buffer = larger
    }
    this.#buffer.set(bytes, this.#length)
    this.#length = needed
  }

  get view(): Uint8Array {
    return this.#buffer.subarray(0, this.#length)
  }
}

/** How a conversation begins, and the JSON of its first messages with a comma behind each. */
interface Beginning {
  readonly messages: ReadonlyArray<Message>
  readonly json: Bytes
}

export interface WrittenRequest {
  readonly body: Uint8Array<ArrayBuffer>
  /** True when the body contains marks of media. */
  readonly marked: boolean
}

export class RequestWriter {
  /** By the first message of the conversation: kept as long as that message is referenced elsewhere. */
  readonly #beginnings = new WeakMap<Message, Beginning>()
  /** The JSON of each tool, and of each list of tools. */
  readonly #tools = new WeakMap<object, string>()
  readonly #toolLists = new WeakMap<object, Uint8Array>()

  write(request: MessagesRequest, stream: boolean): WrittenRequest {
    const pieces: Array<Uint8Array> = []
    let marked = false
    let text = "{"
    const add = (bytes: Uint8Array, next: string) => {
      pieces.push(encoder.encode(text), bytes)
      text = next
    }
    for (const [name, value] of Object.entries(request)) {
      if (value === undefined) continue
      text += `${JSON.stringify(name)}:`
      if (name === "messages") {
        const { begun, rest, held } = this.#messages(request.messages)
        marked = held || hasMarks(rest)
        text += "["
        add(begun, `${rest}],`)
      } else if (name === "tools") add(this.#toolList(request.tools ?? []), ",")
      else text += `${JSON.stringify(value)},`
    }
    pieces.push(encoder.encode(`${text}"stream":${stream}}`))
    return { body: Buffer.concat(pieces), marked }
  }

  #messages(messages: ReadonlyArray<Message>) {
    const { messages: known, json } = this.#beginning(messages)
    const rest = messages.slice(known.length).map((message) => JSON.stringify(message))
    const { view } = json
    // Behind the last message there is no comma.
    const begun = rest.length > 0 || view.length === 0 ? view : view.subarray(0, -1)
    return { begun, rest: rest.join(","), held: json.marked }
  }

  /** What is known of the conversation's beginning, with the messages that have settled since. */
  #beginning(messages: ReadonlyArray<Message>): Beginning {
    const [first] = messages
    if (first === undefined) return { messages: [], json: new Bytes() }
    const known = this.#beginnings.get(first)
    const holds = known?.messages.every((message, index) => message === messages[index]) === true
    const { messages: before, json } = holds ? known : { messages: [], json: new Bytes() }
    const settled = messages.slice(before.length, Math.max(before.length, messages.length - UNSETTLED))
    if (settled.length === 0) return { messages: before, json }
    for (const message of settled) json.add(`${JSON.stringify(message)},`)
    const beginning = { messages: messages.slice(0, before.length + settled.length), json }
    this.#beginnings.set(first, beginning)
    return beginning
  }

  /** Lists of tools are made anew for each turn, of tools that are the same. */
  #toolList(tools: ReadonlyArray<object>): Uint8Array {
    const known = this.#toolLists.get(tools)
    if (known !== undefined) return known
    const bytes = encoder.encode(`[${tools.map((tool) => this.#tool(tool)).join(",")}]`)
    this.#toolLists.set(tools, bytes)
    return bytes
  }

  #tool(tool: object): string {
    const known = this.#tools.get(tool)
    if (known !== undefined) return known
    const json = JSON.stringify(tool)
    this.#tools.set(tool, json)
    return json
  }
}
