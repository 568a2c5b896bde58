// Servers of the Messages API whose answers never end: how much of them is read.
import { createServer } from "node:http"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { liveModel } from "../../../src/model/live/live-model.ts"
import { MessagesApi, type MessagesRequest, type ModelError } from "../../../src/model/messages-api.ts"
import { each } from "../../support/server/opened-stream.ts"

const REQUEST: MessagesRequest = {
  model: "claude-sonnet-4-5",
  max_tokens: 1000,
  messages: [{ role: "user", content: "go" }],
}
const CONTEXT = { sessionId: "0199-session", betas: [] }

const failureOf = <A>(
  baseUrl: string,
  ask: (model: MessagesApi["Service"]) => Effect.Effect<A, ModelError>,
): Promise<ModelError> =>
  Effect.flatMap(MessagesApi, (model) => Effect.flip(ask(model))).pipe(
    Effect.provide(liveModel({ apiKey: "test", baseUrl })),
    Effect.runPromise,
  )

describe("a server that never stops sending", () => {
  const MIB = 1024 * 1024

  /**
   * A server that repeats `piece` until the client disconnects, or `most` bytes are sent; reports whether the client
   * disconnected.
   */
  const flooding = async (status: number, type: string, piece: string, most: number) => {
    const left = Promise.withResolvers<boolean>()
    const server = createServer((_, response) => {
      response.writeHead(status, { "content-type": type })
      response.on("close", () => left.resolve(!response.writableFinished))
      let sent = 0
      const more = (): void => {
        while (sent < most && !response.destroyed) {
          sent += piece.length
          if (!response.write(piece)) return void response.once("drain", more)
        }
        response.end()
      }
      more()
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const address = server.address()
    if (address === null || typeof address === "string") throw new Error("the server has no port")
    const close = () => {
      server.closeAllConnections()
      server.close()
    }
    return { url: `http://127.0.0.1:${address.port}`, left: left.promise, close }
  }

  const event = (value: { readonly type: string; readonly [key: string]: unknown }) =>
    `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`

  it.each([
    ["events", 200, event({ type: "content_block_delta", index: 0, delta: { text: "x".repeat(MIB) } }), 200 * MIB],
    ["comments", 200, `: ${"x".repeat(MIB)}\n\n`, 200 * MIB],
    ["an error's reason", 500, "x".repeat(MIB), 40 * MIB],
  ])("is disconnected after too many bytes of %s", async (_, status, piece, most) => {
    const server = await flooding(status, "text/event-stream", piece, most)
    const failure = await failureOf(server.url, (model) =>
      model.stream(REQUEST, CONTEXT, (opened) => each(opened, () => Effect.void)),
    )
    expect(failure).toMatchObject(
      status === 200
        ? { type: "connection_error", message: "The model's answer was too large.", midStream: true }
        : { status, type: "api_error", midStream: false },
    )
    expect(await server.left).toBe(true)
    server.close()
  })

  it("is disconnected after too many bytes of a non-streamed answer", async () => {
    const server = await flooding(200, "application/json", "x".repeat(MIB), 100 * MIB)
    const failure = await failureOf(server.url, (model) => model.complete(REQUEST, CONTEXT))
    expect(failure).toMatchObject({ type: "connection_error", message: "The model's answer was too large." })
    expect(await server.left).toBe(true)
    server.close()
  })
})
