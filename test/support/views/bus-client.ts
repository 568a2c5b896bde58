// A client of opencode's bus, like its user interfaces: it stores only what the frames contain.
import type { Message, MessageInfo, Part } from "../../../src/schemas/parts.ts"
import type { Frame } from "../../../src/views/sdk.ts"
import type { BusFrame } from "../../../src/views/bus/bus-event.ts"

export class BusClient {
  readonly #infos = new Map<string, MessageInfo>()
  readonly #parts = new Map<string, Map<string, Part>>()
  todos: ReadonlyArray<unknown> = []
  status: string | null = null
  readonly asks = new Set<string>()

  take(frames: Iterable<Frame>): this {
    for (const { data } of frames) this.#take(JSON.parse(data) as BusFrame)
    return this
  }

  #take(frame: BusFrame): void {
    switch (frame.type) {
      case "message.updated":
        return void this.#infos.set(frame.properties.info.id, frame.properties.info)
      case "message.removed":
        this.#infos.delete(frame.properties.messageID)
        return void this.#parts.delete(frame.properties.messageID)
      case "message.part.updated": {
        const { part } = frame.properties
        const parts = this.#parts.get(part.messageID) ?? new Map<string, Part>()
        this.#parts.set(part.messageID, parts.set(part.id, part))
        return
      }
      case "message.part.removed":
        return void this.#parts.get(frame.properties.messageID)?.delete(frame.properties.partID)
      case "message.part.delta":
        return this.#add(frame.properties)
      case "todo.updated":
        this.todos = frame.properties.todos
        return
      case "session.status":
        this.status = frame.properties.status.type
        return
      case "permission.asked":
      case "question.asked":
        return void this.asks.add(frame.properties.id)
      case "permission.replied":
      case "question.replied":
      case "question.rejected":
        return void this.asks.delete(frame.properties.requestID)
    }
  }

  #add({ messageID, partID, field, delta }: Extract<BusFrame, { type: "message.part.delta" }>["properties"]): void {
    const parts = this.#parts.get(messageID)
    const part = parts?.get(partID)
    if (parts === undefined || part === undefined) throw new Error(`a delta for ${partID}, which nothing has opened`)
    if (field === "text" && (part.type === "text" || part.type === "reasoning"))
      parts.set(partID, { ...part, text: part.text + delta })
    else if (field === "state.raw" && part.type === "tool" && part.state.status === "pending")
      parts.set(partID, { ...part, state: { ...part.state, raw: part.state.raw + delta } })
    else throw new Error(`a delta of ${field} for a part ${part.type}`)
  }

  /** Sorted by id, as opencode's clients order them. */
  messages(): ReadonlyArray<Message> {
    return byId(
      [...this.#infos.values()].map((info) => ({ info, parts: [...(this.#parts.get(info.id)?.values() ?? [])] })),
    )
  }

  /** A copy of the client, to which other frames can be applied. */
  copy(): BusClient {
    const copy = new BusClient()
    for (const [id, info] of this.#infos) copy.#infos.set(id, info)
    for (const [id, parts] of this.#parts) copy.#parts.set(id, new Map(parts))
    copy.todos = this.todos
    copy.status = this.status
    for (const ask of this.asks) copy.asks.add(ask)
    return copy
  }
}

export const byId = (messages: ReadonlyArray<Message>): ReadonlyArray<Message> =>
  messages
    .toSorted((a, b) => (a.info.id < b.info.id ? -1 : 1))
    .map(({ info, parts }) => ({ info, parts: parts.toSorted((a, b) => (a.id < b.id ? -1 : 1)) }))
