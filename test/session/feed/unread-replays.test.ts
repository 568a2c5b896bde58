// Long replays to clients of the control protocol, over sockets that only record what they are sent.
import { describe, expect, it } from "vitest"
import { Feed } from "../../../src/session/feed/feed.ts"
import { MOST_UNREAD, SHARE } from "../../../src/session/feed/unread-replays.ts"
import type { OpenSession } from "../../../src/session/open-session.ts"
import type { StoredEvent } from "../../../src/session/storage/log.ts"
import { logEvent } from "../../support/session/log-event.ts"

const LINE = 1024 * 1024
/** Lines of the log: more than may be unread. */
const COUNT = MOST_UNREAD / LINE + 8

class Socket {
  readyState: number = WebSocket.OPEN
  readonly seqs: Array<number> = []
  length = 0
  closed: { readonly code: number; readonly reason: string } | null = null
  #attachment: unknown
  send(text: string): void {
    this.length += text.length
    for (const [, seq] of text.matchAll(/^(\d+)\t/gm)) this.seqs.push(Number(seq))
  }
  close(code: number, reason: string): void {
    this.readyState = WebSocket.CLOSING
    this.closed = { code, reason }
  }
  serializeAttachment(value: unknown): void {
    this.#attachment = value
  }
  deserializeAttachment(): unknown {
    return this.#attachment
  }
}

const setUp = () => {
  const pad = "x".repeat(LINE)
  const log = Array.from({ length: COUNT }, (_, index): StoredEvent => {
    const place = { seq: index + 1, uuid: `u${index}`, turn: "t", parent_tool_use_id: null, at: 0 }
    return { event: logEvent({ ...place, name: "sdk:assistant", payload: {} }), json: `{"pad":"${pad}"}` }
  })
  const core = {
    log: {
      lastSeq: COUNT,
      all: (after: number) => log.slice(after),
      media: { whole: (text: string) => text },
    },
    isBusy: false,
    askStore: { open: [] },
    clients: { unanswered: () => [], missed: () => [] },
  }
  const session = { core, runner: { current: null } } as unknown as OpenSession // what a feed reads of a session
  const clock = { now: 0 }
  const sockets: Array<WebSocket> = []
  const context = { acceptSocket: () => undefined, now: () => clock.now, sockets: () => sockets }
  const feed = new Feed(context, { session, existing: session })
  const join = async (after = 0): Promise<Socket> => {
    const socket = new Socket()
    // The class above has everything that the feed uses.
    sockets.push(socket as unknown as WebSocket)
    const query = { after, turn: null, partials: "yes", client: null, form: "numbered" } as const
    await feed.open(socket as unknown as WebSocket, query)
    return socket
  }
  return { clock, feed, join }
}

describe("a replay to a client that does not say what it has read", () => {
  it("is broken off with the client's cursor, from which the client misses and repeats nothing", async () => {
    const { feed, join } = setUp()
    const first = await join()
    expect(first.closed?.code).toBe(1013)
    const [, cursor] = /connect again with after=(\d+)$/.exec(first.closed?.reason ?? "")!
    feed.left(first as unknown as WebSocket)
    const second = await join(Number(cursor))
    expect(second.closed).toBeNull()
    expect([...first.seqs, ...second.seqs]).toEqual(Array.from({ length: COUNT }, (_, index) => index + 1))
    expect(new TextEncoder().encode(first.closed?.reason).length).toBeLessThanOrEqual(123)
  })

  it("is bounded for many clients together, and each of them gets on", async () => {
    const { join } = setUp()
    const clients: Array<Socket> = []
    for (let n = 0; n < 20; n += 1) clients.push(await join())
    expect(clients.every(({ closed, length }) => closed !== null && length > 0)).toBe(true)
    const sent = clients.reduce((sum, { length }) => sum + length, 0)
    expect(sent).toBeLessThanOrEqual(MOST_UNREAD + 20 * (SHARE + 2 * LINE))
  })

  it("counts until its client has had time to read all of it", async () => {
    const { clock, join } = setUp()
    const whole = await join(16)
    expect(whole.closed).toBeNull()
    expect((await join(16)).closed).not.toBeNull()
    clock.now += 31_000
    expect((await join(COUNT - 4)).closed).toBeNull()
  })
})
