// The replies that are kept for clients without a socket.
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
