// The feed alone, over the test's sockets: what is sent, to whom, and in which messages.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { decodeFeedLine } from "../../../src/schemas/log/feed-line.ts"
import { Feed } from "../../../src/session/feed/feed.ts"
import type { OpenSession } from "../../../src/session/open-session.ts"
import type { StoredEvent } from "../../../src/session/storage/log.ts"
import { ephemeralEvent, logEvent, type TestName } from "../../support/session/log-event.ts"

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

class Socket {
  readyState: number = WebSocket.OPEN
  readonly messages: Array<string> = []
  #attachment: unknown
  send(text: string): void {
    this.messages.push(text)
  }
  serializeAttachment(value: unknown): void {
    this.#attachment = value
  }
  deserializeAttachment(): unknown {
    return this.#attachment
  }
}

const TURN = "turn-1"

const stored = (seq: number, name: TestName): StoredEvent => {
  const payload = { n: seq }
  const event = logEvent({ seq, name, uuid: `u${seq}`, turn: TURN, parent_tool_use_id: null, at: 1000 + seq, payload })
  return { event, json: JSON.stringify(payload) }
}

const delta = (n: number) => ephemeralEvent("sdk:stream_event", TURN, { n })

const setUp = () => {
  let asked = 0
  const sockets: Array<Socket> = []
  const context = {
    acceptSocket: () => undefined,
    now: () => 0,
    // The class above has everything that the feed uses.
    sockets: () => {
      asked += 1
      return [...sockets] as unknown as ReadonlyArray<WebSocket>
    },
  }
  // What the feed reads of a session: an empty log, a running turn, no open asks.
  const core = {
    log: { lastSeq: 0, all: () => [], media: { whole: (text: string) => text } },
    runningOptions: { includePartialMessages: true },
    isBusy: true,
    askStore: { open: [] },
    clients: { hasInitialized: () => false, unanswered: () => [], missed: () => [] },
  }
  const session = { core, runner: { current: null } } as unknown as OpenSession
  const feed = new Feed(context, { session, existing: session })
  const join = async (client: string | null = null): Promise<Socket> => {
    const socket = new Socket()
    sockets.push(socket)
    const query = { after: "head", turn: null, partials: "yes", client, form: "feed" } as const
    await feed.open(socket as unknown as WebSocket, query)
    await Promise.resolve()
    socket.messages.length = 0
    return socket
  }
  const leave = (socket: Socket) => {
    socket.readyState = WebSocket.CLOSED
    sockets.splice(sockets.indexOf(socket), 1)
    feed.listeners.left()
  }
  return { feed, join, leave, asked: () => asked }
}

/** The numbers in a socket's messages, message by message. */
const sent = (socket: Socket) =>
  socket.messages.map((message) =>
    message.split("\n").map((line) => (JSON.parse(decodeFeedLine(line).json) as { n: number }).n),
  )

describe("lines that are published in one tick", () => {
  it("are sent as one message", async () => {
    const { feed, join } = setUp()
    const socket = await join()
    feed.emit(delta(1))
    feed.publish([stored(2, "sdk:assistant")])
    feed.emit(delta(3))
    expect(socket.messages).toEqual([])
    await Promise.resolve()
    expect(sent(socket)).toEqual([[1, 2, 3]])
  })

  it("wait for a model request to be sent first, without loss and in order", async () => {
    const { feed, join } = setUp()
    const socket = await join()
    feed.emit(delta(1))
    feed.deferFlush()
    feed.emit(delta(2))
    await Promise.resolve()
    expect(socket.messages).toEqual([])
    feed.emit(delta(3))
    await vi.advanceTimersByTimeAsync(1)
    expect(sent(socket)).toEqual([[1, 2, 3]])
    feed.emit(delta(4))
    await Promise.resolve()
    expect(sent(socket)).toEqual([[1, 2, 3], [4]])
  })

  it("are sent at once if one of them is a frame that expects an answer", async () => {
    const { feed, join } = setUp()
    const socket = await join("client-1")
    feed.emit(delta(1))
    feed.deferFlush()
    await Promise.resolve()
    expect(feed.frame("client-1", { n: 2 })).toBe(true)
    await Promise.resolve()
    expect(sent(socket)).toEqual([[1, 2]])
    feed.emit(delta(3))
    await Promise.resolve()
    expect(sent(socket)).toEqual([[1, 2], [3]])
    feed.frame("client-1", { n: 4 })
    feed.deferFlush()
    await Promise.resolve()
    expect(sent(socket)).toEqual([[1, 2], [3], [4]])
  })

  it("are sent at once if they must not wait for a write that follows", async () => {
    const { feed, join } = setUp()
    const socket = await join()
    feed.emit(delta(1))
    feed.flush()
    expect(sent(socket)).toEqual([[1]])
    feed.publish([stored(2, "sdk:assistant")])
    await Promise.resolve()
    expect(sent(socket)).toEqual([[1], [2]])
  })

  it("do not wait for a model request that started when nothing was unsent", async () => {
    const { feed, join } = setUp()
    const socket = await join()
    feed.deferFlush()
    feed.emit(delta(1))
    await Promise.resolve()
    expect(sent(socket)).toEqual([[1]])
  })
})

describe("a viewer", () => {
  it("receives SDK messages and none of Perch's own events", async () => {
    const { feed, join } = setUp()
    const socket = await join()
    feed.publish([stored(1, "call:finished"), stored(2, "sdk:user"), stored(3, "hook:fired")])
    await Promise.resolve()
    expect(sent(socket)).toEqual([[2]])
  })

  it("that has disconnected receives nothing more, and one that connects receives events at once", async () => {
    const { feed, join, leave } = setUp()
    const first = await join()
    feed.emit(delta(1))
    await Promise.resolve()
    leave(first)
    expect(feed.wantsPartials(TURN)).toBe(false)
    const second = await join()
    feed.emit(delta(2))
    await Promise.resolve()
    expect([sent(first), sent(second)]).toEqual([[[1]], [[2]]])
  })

  it("is looked up once, not for each line", async () => {
    const { feed, join, asked } = setUp()
    await join()
    feed.emit(delta(1))
    const before = asked()
    for (let n = 2; n < 100; n += 1) {
      feed.emit(delta(n))
      feed.wantsPartials(TURN)
      await Promise.resolve()
    }
    expect(asked()).toBe(before)
  })
})
