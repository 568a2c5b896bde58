// What a session's store keeps of a long conversation, over a server whose messages have long texts.
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import type { Frame, MessageWithParts } from "../../../src/console/store/frames.ts"
import { memoryStorage } from "../../support/console/memory-storage.ts"

/** What the tests use of a store, whose own types need those of the browser. */
interface SessionStore {
  readonly open: () => void
  readonly close: () => void
  readonly loadOlder: () => Promise<void>
  isAtEnd: boolean
  readonly connection: { readonly value: string }
  readonly olderCursor: { readonly value: string | null }
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

/** A server with `LAST` messages, and a stream that only has what `send` sends. */
const longServer = () => {
  const stream = new TransformStream<Uint8Array, Uint8Array>()
  const writer = stream.writable.getWriter()
  const session = { state: "idle", last_seq: LAST, turns: 1 }
  const server = {
    client: {
      session: () => ({ get: async () => session, asks: async () => [], todos: async () => [] }),
    },
    transport: {
      json: async (_method: string, _path: string, { query }: { readonly query: { readonly after?: string } }) => {
        const newest = Number(query.after ?? LAST + 1) - 1
        const messages = Array.from({ length: PAGE }, (_, index) => message(newest - index))
        return { messages, has_more: true, next_cursor: messages.at(-1)!.info.id, last_seq: LAST }
      },
      send: async () => new Response(stream.readable, { headers: { "content-type": "text/event-stream" } }),
    },
  }
  let seq = LAST
  const send = (frame: Frame) =>
    writer.write(new TextEncoder().encode(`id: ${(seq += 1)}\ndata: ${JSON.stringify(frame)}\n\n`))
  return { server, send }
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
