// The replies that are kept for clients without a socket, and the answers that are kept for requests.
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { Clients } from "../../../src/session/control/clients.ts"

const replyTo = (id: string) => ({ type: "control_response", response: { request_id: id } })

/** Clients of a session to which no socket is attached. */
const detachedClients = () => {
  const core = {
    context: { now: () => 0 },
    feed: { frame: () => false },
    meta: { get: () => undefined },
  }
  // `reply` and `missed` use nothing else of a session.
  return new Clients(core as unknown as ConstructorParameters<typeof Clients>[0])
}

describe("replies to clients that have no stream yet", () => {
  it("are kept for 100 clients, all of a client's and not only its first", () => {
    const clients = detachedClients()
    const names = Array.from({ length: 101 }, (_, n) => `client-${n}`)
    for (const name of names) for (const id of ["a", "b"]) clients.reply(name, replyTo(id))
    const kept = names.map((name) => clients.missed(name).length)
    expect(kept).toEqual([...Array<number>(100).fill(2), 0])
    expect(clients.missed("client-0")).toEqual([])
  })

  it("are at most 100 of a client", () => {
    const clients = detachedClients()
    for (let n = 0; n < 150; n += 1) clients.reply("client", replyTo(String(n)))
    expect(clients.missed("client")).toHaveLength(100)
  })
})

describe("an answer without a request", () => {
  it.each([
    [29_999, "the answer", 0],
    [30_000, "another", 1],
  ])("that arrives %i ms after a restart is followed by the request's answer: %s", async (at, answer, sends) => {
    let now = 0
    const sent: Array<unknown> = []
    const core = {
      context: { now: () => now },
      feed: { frame: (_: string, frame: unknown) => sent.push(frame) > 0 },
      meta: { get: () => ({ client: "owner", hooks: {}, sdk_servers: {}, connected: [] }) },
    }
    // `request` and `respond` use nothing else of a session.
    const clients = new Clients(core as unknown as ConstructorParameters<typeof Clients>[0])
    now = at
    clients.respond("owner", "id", { value: "the answer" })
    const answered = Effect.runPromise(clients.request("owner", "id", { subtype: "hook_callback" }))
    clients.respond("owner", "id", { value: "another" })
    expect(await answered).toBe(answer)
    expect(sent).toHaveLength(sends)
  })
})

describe("a client that has disconnected", () => {
  it("takes no memory once it can't reconnect any more", () => {
    setFlagsFromString("--expose-gc")
    // Node returns its collector here once the flag is set.
    const collect = runInNewContext("gc") as () => void
    let now = 0
    const core = {
      context: { now: () => now },
      feed: { listeners: { isAttached: () => false } },
      meta: { get: () => undefined },
    }
    // `attached` and `detached` use nothing else of a session.
    const clients = new Clients(core as unknown as ConstructorParameters<typeof Clients>[0])
    collect()
    const before = process.memoryUsage().heapUsed
    for (let n = 0; n < 2000; n += 1) {
      now += 60_000
      const name = Buffer.alloc(10_000, `client ${n} `).toString()
      clients.attached(name)
      clients.detached(name, true)
    }
    collect()
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(5_000_000)
    clients.attached("last")
  })
})
