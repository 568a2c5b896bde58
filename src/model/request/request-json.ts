// Receives a request; returns its body: JSON as UTF-8, which may contain marks instead of media.
// Invariant: an object that was serialized before is not serialized again, so that serializing costs as much as a step adds,
// however long the session is. Tools and system prompts must therefore never be changed in place.
import { immutableMessage } from "../conversation-cache/immutable-message.ts"
import { writeMessages } from "../conversation-cache/written-messages.ts"
import type { MessagesRequest } from "../messages-api.ts"

const encoder = new TextEncoder()

export interface WrittenRequest {
  readonly body: Uint8Array<ArrayBuffer>
  /** True when the body contains media marks. */
  readonly marked: boolean
}

export class RequestWriter {
  /** The JSON of each tool and block of a system prompt, and of each list of them. */
  readonly #items = new WeakMap<object, string>()
  readonly #lists = new WeakMap<object, Uint8Array>()

  write(request: MessagesRequest, stream: boolean): WrittenRequest {
    const pieces: Array<Uint8Array> = []
    let marked = false
    let text = "{"
    const add = (bytes: ReadonlyArray<Uint8Array>, next: string) => {
      pieces.push(encoder.encode(text), ...bytes)
      text = next
    }
    for (const [name, value] of Object.entries(request)) {
      if (value === undefined) continue
      text += `${JSON.stringify(name)}:`
      if (name === "messages") {
        const written = writeMessages(request.messages.map(immutableMessage))
        marked = written.marked
        text += "["
        add(written.pieces, "],")
      } else if (name === "tools" || name === "system") add([this.#list(request[name] ?? [])], ",")
      else text += `${JSON.stringify(value)},`
    }
    pieces.push(encoder.encode(`${text}"stream":${stream}}`))
    return { body: Buffer.concat(pieces), marked }
  }

  /** The JSON of a list. Each turn has a new list of the same tools, so items are cached one by one, too. */
  #list(items: ReadonlyArray<object>): Uint8Array {
    const known = this.#lists.get(items)
    if (known !== undefined) return known
    const bytes = encoder.encode(`[${items.map((item) => this.#item(item)).join(",")}]`)
    this.#lists.set(items, bytes)
    return bytes
  }

  #item(item: object): string {
    const known = this.#items.get(item)
    if (known !== undefined) return known
    const json = JSON.stringify(item)
    this.#items.set(item, json)
    return json
  }
}
