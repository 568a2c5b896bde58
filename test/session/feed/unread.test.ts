// What clients of the control protocol were sent and may not have read, over sockets that only record it: replays, live events,
// and clients that confirm.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { Feed } from "../../../src/session/feed/feed.ts"
import type { LineForm } from "../../../src/session/feed/listener.ts"
import { MAX_UNREAD, MAX_UNREAD_WHILE_STALLED, SHARE } from "../../../src/session/feed/unread.ts"
import type { OpenSession } from "../../../src/session/open-session.ts"
import type { StoredEvent } from "../../../src/session/storage/log.ts"
import { logEvent } from "../../support/session/log-event.ts"

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

const LINE = 1024 * 1024
const LARGE = "x".repeat(LINE)
/** Longer than any receipt: longer messages contain lines. */
const MAX_RECEIPT = 1000
/** Longer than a replay waits for a client. Timers that an earlier test left repeat for ever, so a test never waits for all of them. */
const MINUTE = 60_000

/** The receipt's id in a message, in either form. */
const receiptIn = (text: string): string | undefined =>
  /^\?(.+)$/m.exec(text)?.[1] ?? /"request_id":"([^"]+)","request":\{"subtype":"perch_read_receipt"/.exec(text)?.[1]

class Socket {
  readyState: number = WebSocket.OPEN
  readonly seqs: Array<number> = []
  readonly receipts: Array<string> = []
  length = 0
  closed: { readonly code: number; readonly reason: string } | null = null
  readonly #onReceipt: (socket: Socket, id: string) => void
  #attachment: unknown
  constructor(onReceipt: (socket: Socket, id: string) => void) {
    this.#onReceipt = onReceipt
  }
  send(text: string): void {
    const receipt = text.length > MAX_RECEIPT ? undefined : receiptIn(text)
    if (receipt !== undefined) {
      this.receipts.push(receipt)
      return this.#onReceipt(this, receipt)
    }
    this.length += Buffer.byteLength(text)
    for (const [, seq] of text.matchAll(/^(?:(\d+)\t)?\{"seq":\d+/gm)) this.seqs.push(Number(seq))
  }
  close(code: number, reason: string): void {
    this.readyState = WebSocket.CLOSING
    this.closed = { code, reason }
  }
  /** As the platform's sockets see it. The class has everything that the feed uses. */
  get platform(): WebSocket {
    return this as unknown as WebSocket
  }
  serializeAttachment(value: unknown): void {
    this.#attachment = value
  }
  deserializeAttachment(): unknown {
    return this.#attachment
  }
}

const eventAt = (seq: number, pad = LARGE): StoredEvent => {
  const place = { seq, uuid: `u${seq}`, turn: "t", parent_tool_use_id: null, at: 0 }
  return { event: logEvent({ ...place, name: "sdk:assistant", payload: {} }), json: `{"seq":${seq},"pad":"${pad}"}` }
}

/** A feed of a session whose log has `count` lines of a megabyte. */
const setUp = (count = 0) => {
  const stored = Array.from({ length: count }, (_, index) => eventAt(index + 1))
  const log = {
    lastSeq: count,
    all: (after: number) => stored.slice(after),
    media: { whole: (text: string) => text },
  }
  const detached: Array<unknown> = []
  const clients = {
    hasInitialized: () => false,
    unanswered: () => [],
    missed: () => [],
    detached: (...gone: ReadonlyArray<unknown>) => void detached.push(gone),
  }
  const core = { log, isBusy: false, askStore: { open: [] }, clients }
  const session = { core, runner: { current: null } } as unknown as OpenSession // what a feed reads of a session
  const sockets: Array<WebSocket> = []
  const context = { acceptSocket: () => undefined, now: () => Date.now(), sockets: () => sockets }
  const feed = new Feed(context, { session, existing: session })
  const confirm = (socket: Socket, id: string) =>
    queueMicrotask(() => feed.confirm(socket.platform, `{"type":"control_response","response":{"request_id":"${id}"}}`))
  const open = async (
    confirms: boolean,
    after: number | "head" = 0,
    form: LineForm = "numbered",
    client: string | null = null,
  ): Promise<Socket> => {
    const socket = new Socket(confirms ? confirm : () => undefined)
    sockets.push(socket.platform)
    await feed.open(socket.platform, { after, turn: null, partials: "yes", client, form })
    return socket
  }
  /** Opens sockets at the same time; resolves when their replays have ended, however long they wait. */
  const join = async (confirms: ReadonlyArray<boolean>, after: number | "head" = 0): Promise<ReadonlyArray<Socket>> => {
    const opened = Promise.all(confirms.map((each) => open(each, after)))
    await vi.advanceTimersByTimeAsync(MINUTE)
    return opened
  }
  /** Writes and sends a further event. */
  const publish = async (pad?: string): Promise<void> => {
    const event = eventAt((log.lastSeq += 1), pad)
    stored.push(event)
    feed.publish([event])
    await vi.advanceTimersByTimeAsync(100)
  }
  return { feed, log, open, join, publish, detached }
}

const cursorIn = ({ closed }: Socket): number =>
  Number(/connect again with after=(\d+)$/.exec(closed?.reason ?? "")?.[1])

const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1)

const times = (count: number, confirms: boolean) => Array.from({ length: count }, () => confirms)

describe("a replay", () => {
  it("to a client that does not confirm is broken off with the client's cursor, from which the client misses and repeats nothing", async () => {
    const count = MAX_UNREAD / LINE + 8
    const { feed, join } = setUp(count)
    const seqs: Array<number> = []
    for (let connections = 0, after = 0; after < count; connections += 1) {
      expect(connections).toBeLessThan(4)
      const [socket] = await join([false], after)
      seqs.push(...socket!.seqs)
      after = socket!.closed === null ? count : cursorIn(socket!)
      if (after < count) expect(socket!.closed?.code).toBe(1013)
      expect(new TextEncoder().encode(socket!.closed?.reason).length).toBeLessThanOrEqual(123)
      feed.left(socket!.platform)
    }
    expect(seqs).toEqual(upTo(count))
  })

  it("is bounded for many clients together, and each of them gets on", async () => {
    const { join } = setUp(MAX_UNREAD / LINE)
    const clients = await join(times(20, false))
    expect(clients.every(({ closed, length }) => closed !== null && length > 0)).toBe(true)
    const sent = clients.reduce((sum, { length }) => sum + length, 0)
    expect(sent).toBeLessThanOrEqual(MAX_UNREAD + 20 * (SHARE + 2 * LINE))
  })

  it("reaches each of many clients that confirm, also while another one has stopped reading", async () => {
    const { join } = setUp(9)
    const clients = await join([false, ...times(20, true)])
    for (const { closed, seqs } of clients.slice(1)) expect([closed, seqs]).toEqual([null, upTo(9)])
  })
})

describe("live events", () => {
  it("to a client that does not confirm end with a close and its cursor; clients that confirm get all of them", async () => {
    const { join, publish } = setUp()
    const [stalled, reading] = await join([false, true], "head")
    const count = MAX_UNREAD / LINE + 8
    for (let n = 0; n < count; n += 1) await publish()
    expect(reading).toMatchObject({ closed: null, seqs: upTo(count) })
    expect(stalled?.closed?.code).toBe(1013)
    expect(stalled?.seqs).toEqual(upTo(cursorIn(stalled!)))
    expect(stalled?.length).toBeLessThanOrEqual(MAX_UNREAD_WHILE_STALLED + 2 * LINE)
  })

  it("that close a socket start the time in which its client may reconnect, unless it has another socket", async () => {
    const { open, publish, detached } = setUp()
    const stalled = [await open(false, "head", "plain", "a"), await open(false, "head", "plain", "b")]
    await open(true, "head", "plain", "b")
    for (let n = 0; n < 40; n += 1) await publish()
    expect(stalled.map(({ closed }) => closed?.code)).toEqual([1013, 1013])
    expect(detached).toEqual([["a", false]])
  })

  it("to many clients that do not confirm are bounded together", async () => {
    const { join, publish } = setUp()
    const clients = await join(times(20, false), "head")
    for (let n = 0; n < 6; n += 1) await publish()
    await vi.advanceTimersByTimeAsync(MINUTE)
    await publish()
    expect(clients.every(({ closed }) => closed?.code === 1013)).toBe(true)
    const sent = clients.reduce((sum, { length }) => sum + length, 0)
    expect(sent).toBeLessThanOrEqual(MAX_UNREAD + 20 * LINE)
  })

  it("that arrive faster than clients can confirm close none of them below the limit", async () => {
    const { feed, join, log } = setUp()
    const clients = await join(times(3, true), "head")
    feed.publish(upTo(MAX_UNREAD / LINE / 3).map((n) => eventAt((log.lastSeq = n))))
    await vi.advanceTimersByTimeAsync(MINUTE)
    expect(clients.map(({ closed }) => closed)).toEqual([null, null, null])
  })
})

describe("a receipt", () => {
  it("is a control request for plain lines, and a mark for numbered ones", async () => {
    const { open, publish } = setUp()
    const sent: Array<string> = []
    for (const form of ["plain", "numbered"] as const) {
      const socket = await open(false, "head", form)
      const send = socket.send.bind(socket)
      socket.send = (text) => {
        if (text.length <= MAX_RECEIPT && receiptIn(text) !== undefined) sent.push(text)
        send(text)
      }
    }
    await publish()
    expect(sent).toEqual([
      expect.stringMatching(/^\{"type":"control_request","request_id":"[\w-]+","request":\{"subtype":"[a-z_]+"\}\}\n$/),
      expect.stringMatching(/^\?[\w-]+\n$/),
    ])
  })

  it("is requested again only after the client has confirmed the one before, with its id", async () => {
    const { feed, open, publish } = setUp()
    const socket = await open(false, "head")
    await publish()
    await publish()
    expect(socket.receipts).toHaveLength(1)
    expect(feed.confirm(socket.platform, `?${crypto.randomUUID()}`)).toBe(false)
    expect(feed.confirm(socket.platform, `?${socket.receipts[0]}`)).toBe(true)
    expect(socket.receipts).toHaveLength(2)
    expect(feed.confirm(socket.platform, `?${socket.receipts[0]}`)).toBe(false)
  })

  it("is not requested from the Worker, which reads its feeds whatever their clients do", async () => {
    const { open, publish } = setUp()
    const socket = await open(false, "head", "feed")
    for (let n = 0; n < 80; n += 1) await publish()
    expect([socket.receipts, socket.closed]).toEqual([[], null])
  })
})

describe("clients that never read", () => {
  const sentTo = (clients: ReadonlyArray<Socket>) => clients.reduce((sum, { length }) => sum + length, 0)
  const MANY = 150

  it.each([
    ["of one byte a character", LARGE],
    ["of three bytes a character", "漢".repeat(LINE)],
  ])("are sent no more large lines %s than are held for all, and continue from their cursors", async (_, pad) => {
    // Ten more clients than the limit has room for one line each.
    const count = Math.floor(MAX_UNREAD / Buffer.byteLength(pad)) + 10
    const { feed, join, publish } = setUp()
    const clients = await join(times(count, false), "head")
    for (let sent = 0; sent < 3; sent += 1) await publish(pad)
    for (const client of clients) expect(client.seqs).toEqual(upTo(client.closed === null ? 3 : cursorIn(client)))
    const again = await join(times(count, false))
    for (const client of again) expect([client.seqs, cursorIn(client)]).toEqual([[], 0])
    expect(sentTo([...clients, ...again])).toBeLessThanOrEqual(MAX_UNREAD)
    for (const { platform } of clients) feed.left(platform)
    const [last] = await join([true])
    expect(last?.seqs).toEqual([1, 2, 3])
  })

  it("leave no room for another socket once their shares are used up, until they are gone", async () => {
    const { feed, join, publish } = setUp()
    const clients = await join(times(MANY, false), "head")
    expect(feed.mustRefuseClients).toBe(false)
    await publish("x".repeat(SHARE - 100))
    expect(feed.mustRefuseClients).toBe(true)
    expect(sentTo(clients)).toBeLessThanOrEqual(MANY * SHARE)
    for (const { platform } of clients.slice(0, MANY / 2)) feed.left(platform)
    expect(feed.mustRefuseClients).toBe(false)
  })
})
