// What a session's store keeps of a long conversation, over a server whose messages have long texts.
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import type { Frame, MessageWithParts } from "../../../src/console/store/frames.ts"
import { memoryStorage } from "../../support/console/memory-storage.ts"

/** What the tests use of a store, whose own types need those of the browser. */
interface SessionStore {
  readonly open: () => void
  readonly close: () => void
  readonly resume: () => void
  readonly refresh: () => Promise<void>
  readonly loadOlder: () => Promise<void>
  readonly loadNewer: () => Promise<void>
  readonly loadNewest: () => Promise<void>
  isAtEnd: boolean
  readonly connection: { readonly value: string }
  readonly error: { readonly value: string | null }
  readonly fileChanges: { readonly value: number }
  readonly olderCursor: { readonly value: string | null }
  readonly newerCursor: { readonly value: string | null }
  readonly todos: { readonly value: ReadonlyArray<unknown> }
  readonly conversation: { readonly ids: { readonly value: ReadonlyArray<string> } }
}

interface StoreModule {
  readonly SessionStore: new (server: unknown, id: string) => SessionStore
}

const LAST = 1000
const PAGE = 50
/** All messages share one text. */
const TEXT = "x".repeat(200_000)

beforeEach(() => {
  vi.stubGlobal("sessionStorage", memoryStorage())
})
afterEach(() => void vi.unstubAllGlobals())

const message = (number: number): MessageWithParts => {
  const id = `${number}`
  return {
    info: { id, role: "assistant", time: { created: number } },
    parts: [{ id: `part-${number}`, messageID: id, type: "text", text: TEXT }],
  }
}

interface Query {
  readonly after?: string
  readonly order: "asc" | "desc"
}

/** A server with `LAST` messages and those that `grow` adds, and streams that only have what `send` sends. */
const longServer = () => {
  const streams: Array<{ readonly after: number; readonly writer: WritableStreamDefaultWriter<Uint8Array> }> = []
  const session = { state: "idle", last_seq: LAST, turns: 1 }
  let last = LAST
  const network = { isDown: false }
  /** How often the session was read. */
  const reads = { count: 0 }
  const get = async () => {
    reads.count += 1
    if (network.isDown) throw new Error("No network.")
    return session
  }
  const server = {
    client: {
      session: () => ({ get, asks: async () => [], todos: async () => [] }),
    },
    transport: {
      json: async (_method: string, _path: string, { query: { after, order } }: { readonly query: Query }) => {
        const step = order === "asc" ? 1 : -1
        const first = Number(after ?? last + 1) + step
        const messages = Array.from({ length: PAGE }, (_, index) => message(first + index * step)).filter(
          ({ info }) => Number(info.id) >= 1 && Number(info.id) <= last,
        )
        const next = messages.at(-1)?.info.id
        const has_more = next !== undefined && next !== `${order === "asc" ? last : 1}`
        return { messages, has_more, next_cursor: has_more ? next : null, last_seq: last }
      },
      send: async (_method: string, _path: string, { query }: { readonly query: { readonly after: number } }) => {
        const stream = new TransformStream<Uint8Array, Uint8Array>()
        streams.push({ after: query.after, writer: stream.writable.getWriter() })
        return new Response(stream.readable, { headers: { "content-type": "text/event-stream" } })
      },
    },
  }
  let seq = LAST
  /** Sends frames in one piece. */
  const send = (...frames: ReadonlyArray<Frame>) => {
    const lines = frames.map((frame) => `id: ${(seq += 1)}\ndata: ${JSON.stringify(frame)}\n\n`)
    return streams.at(-1)?.writer.write(new TextEncoder().encode(lines.join("")))
  }
  const sendMessage = async (added: MessageWithParts) => {
    await send({ id: "evt", type: "message.updated", properties: { info: added.info } })
    for (const part of added.parts) await send({ id: "evt", type: "message.part.updated", properties: { part } })
  }
  /** Adds messages, as a turn that has not ended. */
  const grow = async (count: number) => {
    for (let number = 0; number < count; number += 1) {
      last += 1
      await sendMessage(message(last))
    }
  }
  return { server, send, sendMessage, grow, streams, network, reads }
}

const opened = async (server: unknown): Promise<SessionStore> => {
  const { href } = new URL("../../../src/console/store/session-store.ts", import.meta.url)
  const { SessionStore: Store } = (await import(href)) as StoreModule // its class has more members
  const store = new Store(server, "a-session")
  store.open()
  await expect.poll(() => store.connection.value).toBe("live")
  return store
}

const numbers = ({ conversation }: SessionStore) => conversation.ids.value.map(Number)
const from = (first: number) => Array.from({ length: LAST - first + 1 }, (_, index) => first + index)

const readBack = async (store: SessionStore, pages: number) => {
  for (let page = 0; page < pages; page += 1) await store.loadOlder()
}

it("drops the oldest messages with long texts when a turn ends, and reads them again from there", async () => {
  const { server, send } = longServer()
  const store = await opened(server)
  await readBack(store, 3)
  expect(numbers(store)).toEqual(from(801))
  const kept = LAST - PAGE + 1
  await send({ id: "evt", type: "session.idle", properties: {} })
  await expect.poll(() => numbers(store)).toEqual(from(kept))
  expect(store.olderCursor.value).toBe(`${kept}`)
  await store.loadOlder()
  expect(numbers(store)).toEqual(from(kept - PAGE))
  store.close()
})

it("keeps what was read back while that is visible, and drops it when the end is visible again", async () => {
  const { server, send } = longServer()
  const store = await opened(server)
  store.isAtEnd = false
  await readBack(store, 3)
  await send({ id: "evt", type: "session.idle", properties: {} })
  await send({ id: "evt", type: "todo.updated", properties: { todos: [{ id: "1" }] } })
  await expect.poll(() => store.todos.value.length).toBe(1)
  expect(numbers(store)).toEqual(from(801))
  store.isAtEnd = true
  expect(numbers(store)).toEqual(from(951))
  expect(store.olderCursor.value).toBe("951")
  store.close()
})

const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index)

it("drops the oldest messages during a turn, but no queued prompt, and ignores changes of those that it has dropped", async () => {
  const { server, sendMessage, grow } = longServer()
  const store = await opened(server)
  const prompt = { id: "queued", role: "user" as const, time: { created: LAST }, sdk: { queued: true } }
  await sendMessage({ info: prompt, parts: [] })
  await grow(200)
  await expect.poll(() => store.conversation.ids.value.at(-1)).toBe("1200")
  const kept = store.conversation.ids.value
  expect(kept[0]).toBe("queued")
  expect(kept.length).toBeLessThan(161)
  expect(kept.slice(1).map(Number)).toEqual(range(1200 - kept.length + 2, 1200))
  expect(store.olderCursor.value).toBe(kept[1])
  await sendMessage(message(1000))
  await grow(1)
  await expect.poll(() => store.conversation.ids.value.at(-1)).toBe("1201")
  expect(store.conversation.ids.value).toEqual([...kept, "1201"])
  store.close()
})

it("does not load what a turn adds far below the visible messages; reads it in pages and then follows again", async () => {
  const { server, grow, streams, sendMessage } = longServer()
  const store = await opened(server)
  store.isAtEnd = false
  await grow(300)
  await expect.poll(() => store.newerCursor.value).not.toBe(null)
  const paused = Number(store.newerCursor.value)
  expect(numbers(store)).toEqual(range(951, paused))
  expect(paused).toBeLessThan(1151)
  for (let last = paused; last < 1300; last += PAGE) await store.loadNewer()
  expect(numbers(store)).toEqual(range(951, 1300))
  expect(store.newerCursor.value).toBe(null)
  await expect.poll(() => streams.map(({ after }) => after)).toEqual([LAST, 1300])
  await sendMessage(message(1301))
  await expect.poll(() => numbers(store).at(-1)).toBe(1301)
  expect(store.connection.value).toBe("live")
  store.close()
})

it("shows the newest messages at once when those before them are not loaded", async () => {
  const { server, grow, streams, sendMessage } = longServer()
  const store = await opened(server)
  store.isAtEnd = false
  await grow(300)
  await expect.poll(() => store.newerCursor.value).not.toBe(null)
  await store.loadNewest()
  expect(numbers(store)).toEqual(range(1251, 1300))
  expect([store.olderCursor.value, store.newerCursor.value]).toEqual(["1251", null])
  await expect.poll(() => streams.length).toBe(2)
  await sendMessage(message(1301))
  await expect.poll(() => numbers(store).at(-1)).toBe(1301)
  store.close()
})

it("shows the error of a failed read until the same is read, at the latest when the network is back", async () => {
  const { server, network } = longServer()
  const store = await opened(server)
  const fail = async () => {
    network.isDown = true
    await store.refresh()
    expect(store.error.value).toBe("The session could not be read. No network.")
    network.isDown = false
  }
  await fail()
  await store.refresh()
  expect(store.error.value).toBe(null)
  await fail()
  store.resume()
  await expect.poll(() => store.error.value).toBe(null)
  expect(store.connection.value).toBe("live")
  store.close()
})

it("reports changed files when the stream connects, because a list may have been read before", async () => {
  const { server, send } = longServer()
  const store = await opened(server)
  const before = store.fileChanges.value
  await send({ id: "evt", type: "server.connected", properties: {} })
  await expect.poll(() => store.fileChanges.value).toBe(before + 1)
  store.close()
})

it("reads the cost again after each request of a turn, but only once for requests that arrive together", async () => {
  const { server, send, reads } = longServer()
  const store = await opened(server)
  const before = reads.count
  const finished = (id: string): Frame => {
    const part = { id, messageID: "1000", type: "step-finish", cost: 0.01 }
    return { id: "evt", type: "message.part.updated", properties: { part } }
  }
  await send(finished("a"), finished("b"), { id: "evt", type: "session.idle", properties: {} })
  await expect.poll(() => reads.count).toBe(before + 1)
  await send(finished("c"))
  await expect.poll(() => reads.count).toBe(before + 2)
  store.close()
})
