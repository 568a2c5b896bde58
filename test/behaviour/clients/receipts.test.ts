// The request with which Perch asks a client what it has read, sent to the official browser SDK over a real WebSocket.
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { query } from "@anthropic-ai/claude-agent-sdk/browser"
import { expect, it } from "vitest"
import { WebSocketServer } from "ws"
import { receiptLine } from "../../../src/session/feed/listener.ts"

it("the official browser SDK answers the request for a receipt with its id, and yields nothing for it", async () => {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 })
  await once(server, "listening")
  // A server that listens on TCP has an address with a port.
  const { port } = server.address() as AddressInfo
  const id = crypto.randomUUID()
  const ended = Promise.withResolvers<void>()
  const prompt = (async function* () {
    await ended.promise
    yield* []
  })()
  const run = query({ prompt, websocket: { url: `ws://127.0.0.1:${port}/` } })
  const reading = Array.fromAsync(run)
  try {
    const [socket] = await once(server, "connection")
    const answer = new Promise<string>((resolve) => {
      socket.on("message", (data: Buffer) => {
        if (data.toString().includes(id)) resolve(data.toString())
      })
    })
    socket.send(`${receiptLine("plain", id)}\n`)
    expect(JSON.parse(await answer)).toMatchObject({ type: "control_response", response: { request_id: id } })
    ended.resolve()
    socket.close(1000)
    expect(await reading).toEqual([])
  } finally {
    server.close()
  }
})
