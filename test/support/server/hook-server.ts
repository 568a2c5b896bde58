// A server that HTTP hooks call: it records what it is sent and answers as its test configures.
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"

export interface Delivery {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly input: Readonly<Record<string, unknown>>
}

export interface HookServer {
  readonly url: string
  readonly deliveries: Array<Delivery>
  /** The status and the body of an answer; by default 200 without a body. */
  answer: (delivery: Delivery) => { readonly status?: number; readonly body?: unknown }
  close(): Promise<void>
}

export const startHookServer = async (): Promise<HookServer> => {
  const deliveries: Array<Delivery> = []
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString()
      const delivery = { path: request.url ?? "", headers: request.headers, body, input: JSON.parse(body) }
      deliveries.push(delivery)
      const { status = 200, body: answer } = hooks.answer(delivery)
      response.writeHead(status).end(answer === undefined ? "" : JSON.stringify(answer))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const hooks: HookServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    deliveries,
    answer: () => ({}),
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return hooks
}
