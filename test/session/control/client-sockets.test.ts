// Lines of a client's socket that are no frames: they are answered, and the lines around them take effect.
import { describe, expect, it } from "vitest"
import { ClientSockets } from "../../../src/session/control/client-sockets.ts"
import type { LineForm } from "../../../src/session/feed/listener.ts"

const setUp = (form: LineForm) => {
  const calls: Array<readonly [string, ...ReadonlyArray<unknown>]> = []
  const control = {
    take: (_client: string, frame: unknown) => void calls.push(["take", frame]),
    refuse: (_client: string, _frame: unknown, problem: string) => void calls.push(["refuse", problem]),
    refuseLine: () => void calls.push(["refuseLine"]),
  }
  const listeners = { clientOf: () => "c", formOf: () => form, actorOf: () => undefined }
  const confirm = (_: WebSocket, line: string) => line.includes("expected")
  const feed = { listeners, confirm, mark: (text: string) => void calls.push(["mark", text]) }
  const life = { session: { control, core: { isBusy: false } } }
  const parts = { context: {}, life, feed, share: {}, erasure: {} }
  // What a socket's lines use of the session.
  const sockets = new ClientSockets(parts as unknown as ConstructorParameters<typeof ClientSockets>[0])
  const socket = { readyState: WebSocket.OPEN } as WebSocket
  const send = (message: string | ArrayBuffer) => {
    calls.length = 0
    sockets.message(socket, message)
    return [...calls]
  }
  return { send }
}

describe("a line of a socket", () => {
  it("that is not JSON is refused, between lines that are", () => {
    const { send } = setUp("plain")
    expect(send('{"n":1}\nnot json\n{"n":2}\n')).toEqual([["take", { n: 1 }], ["refuseLine"], ["take", { n: 2 }]])
    expect(send(new Uint8Array([0xff, 0xfe, 10]).buffer)).toEqual([["refuseLine"]])
  })

  it("that is not JSON is acknowledged too, so that its client does not send it again", () => {
    const { send } = setUp("numbered")
    expect(send("3\tnot json\n")).toEqual([["refuseLine"], ["mark", "=idle"], ["mark", "+3"]])
  })

  it("that confirms what was read is no frame, whether it was expected or not", () => {
    expect(setUp("plain").send('{"type":"control_response","response":{"request_id":"expected"}}\n')).toEqual([])
    expect(setUp("numbered").send("?expected\n?of-an-earlier-start\n")).toEqual([])
  })

  it("with a repeated key is refused by its name", () => {
    const { send } = setUp("plain")
    const problem = "has the key message.content twice"
    expect(send('{"type":"user","message":{"content":"a","content":"b"}}\n')).toEqual([["refuse", problem]])
  })
})

it("a socket is refused with 429 while clients that do not read leave no room for it; a stream is not", async () => {
  const limits = { sockets_per_session: 5, streams_per_session: 0 }
  const feed = { mustRefuseClients: true, listeners: { count: () => 0 } }
  // What opening a socket uses of the session until it is refused.
  const parts = { feed, share: { limits } } as unknown as ConstructorParameters<typeof ClientSockets>[0]
  const sockets = new ClientSockets(parts)
  const refused = async (form: LineForm) => {
    const response = sockets.open(new URL("http://session/"), form, undefined)
    return [response.status, await response.text()]
  }
  expect(await refused("plain")).toEqual([429, expect.stringContaining("do not read")])
  expect(await refused("feed")).toEqual([429, expect.stringContaining("maximum number of streams (0)")])
})
