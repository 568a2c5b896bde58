// A small Perch server for tests of its client: sessions over HTTP and their sockets in numbered framing, on real sockets.
// Invariant: what a client sent is stored unchanged; the server answers only what the test asks for.
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { type WebSocket, WebSocketServer } from "ws"

export interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage["headers"]
  readonly body: unknown
}

export interface Answer {
  readonly status: number
  readonly json: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface FakePerchOptions {
  /** Answers a request; by default creates and deletes sessions. */
  readonly answer?: (request: SeenRequest) => Answer | undefined
  /** Answers an upgrade with a status instead of a socket. */
  readonly refuse?: (attempt: number) => Answer | undefined
  /** Called with each line of each socket. */
  readonly line?: (line: SentLine, socket: FakeSocket) => void
}

export interface SentLine {
  readonly number: number
  readonly json: string
  readonly frame: Readonly<Record<string, unknown>>
}

/** One connection of a client. */
export class FakeSocket {
  readonly query: URLSearchParams
  readonly headers: IncomingMessage["headers"]
  readonly lines: Array<SentLine> = []
  /** The receipts that the client has confirmed. */
  readonly receipts: Array<string> = []
  readonly closed: Promise<number>
  readonly raw: WebSocket
  readonly #waiting: Array<() => void> = []

  constructor(raw: WebSocket, request: IncomingMessage, line: (line: SentLine, socket: FakeSocket) => void) {
    this.raw = raw
    this.query = new URL(request.url ?? "", "http://perch").searchParams
    this.headers = request.headers
    this.closed = new Promise((resolve) => raw.on("close", (code) => resolve(code)))
    raw.on("message", (data) => {
      for (const text of String(data).split("\n")) {
        if (text === "") continue
        if (text.startsWith("?")) {
          this.receipts.push(text)
          continue
        }
        const tab = text.indexOf("\t")
        const json = text.slice(tab + 1)
        const sent = { number: Number(text.slice(0, tab)), json, frame: JSON.parse(json) as SentLine["frame"] }
        this.lines.push(sent)
        line(sent, this)
      }
      for (const wake of this.#waiting.splice(0)) wake()
    })
  }

  send(...lines: ReadonlyArray<string>): void {
    this.raw.send(lines.join("\n"))
  }

  /** A message of the log. */
  emit(seq: number | "", message: unknown): void {
    this.send(`${seq}\t${JSON.stringify(message)}`)
  }

  /** Resolves when this number of lines has arrived. */
  async has(count: number): Promise<ReadonlyArray<SentLine>> {
    while (this.lines.length < count) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    return this.lines
  }
}

export interface FakePerch {
  readonly url: string
  readonly requests: ReadonlyArray<SeenRequest>
  readonly sockets: ReadonlyArray<FakeSocket>
  /** The number of socket requests so far. */
  readonly attempts: number
  /** The nth socket, once it exists. */
  socket(index: number): Promise<FakeSocket>
  close(): Promise<void>
}

export const SESSION = "5e551017-0000-7000-8000-000000000001"

const bodyOf = async (request: IncomingMessage): Promise<unknown> => {
  let text = ""
  for await (const chunk of request.setEncoding("utf8")) text += String(chunk)
  return text === "" ? undefined : JSON.parse(text)
}

const byDefault = ({ method, body }: SeenRequest): Answer => {
  if (method === "DELETE") return { status: 200, json: {} }
  const id = typeof body === "object" && body !== null && "id" in body ? body.id : SESSION
  return { status: 201, json: { id, last_seq: 0 } }
}

export const fakePerch = async (options: FakePerchOptions = {}): Promise<FakePerch> => {
  const requests: Array<SeenRequest> = []
  const sockets: Array<FakeSocket> = []
  let attempts = 0
  const waiting: Array<() => void> = []
  const seen = async (request: IncomingMessage): Promise<SeenRequest> => ({
    method: request.method ?? "",
    path: request.url ?? "",
    headers: request.headers,
    body: await bodyOf(request),
  })
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const one = await seen(request)
    requests.push(one)
    const { status, json, headers } = options.answer?.(one) ?? byDefault(one)
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(json))
  }
  const server = createServer((request, response) => void serve(request, response))
  const upgrades = new WebSocketServer({ noServer: true })
  server.on("upgrade", (request, socket, first) => {
    attempts += 1
    const refusal = options.refuse?.(attempts)
    if (refusal !== undefined) {
      const body = JSON.stringify(refusal.json)
      const headers = Object.entries({ ...refusal.headers, "content-length": body.length })
      const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("")
      socket.end(`HTTP/1.1 ${refusal.status} Refused\r\n${head}\r\n${body}`)
      return
    }
    upgrades.handleUpgrade(request, socket, first, (raw) => {
      sockets.push(new FakeSocket(raw, request, options.line ?? (() => {})))
      for (const wake of waiting.splice(0)) wake()
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    // A server that listens on TCP has an AddressInfo.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    sockets,
    get attempts() {
      return attempts
    },
    socket: async (index) => {
      for (;;) {
        const found = sockets[index]
        if (found !== undefined) return found
        await new Promise<void>((resolve) => waiting.push(resolve))
      }
    },
    close: async () => {
      for (const { raw } of sockets) raw.terminate()
      upgrades.close()
      server.close()
      server.closeAllConnections()
      await once(server, "close")
    },
  }
}

/** The server's own error, in its envelope. */
export const errorAnswer = (
  status: number,
  type: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Answer => ({
  status,
  headers,
  json: { type: "error", error: { type, message }, request_id: "req_1" },
})

export const resultMessage = (more: Readonly<Record<string, unknown>> = {}) => ({
  type: "result",
  subtype: "success",
  is_error: false,
  result: "done",
  num_turns: 1,
  session_id: SESSION,
  uuid: "5e551017-0000-4000-8000-00000000000a",
  ...more,
})

/** Answers each prompt with its own text, as a session would: busy, acknowledged, the messages, idle. */
export const echo = (more: Readonly<Record<string, unknown>> = {}) => {
  let seq = 0
  return ({ number, frame }: SentLine, socket: FakeSocket): void => {
    if (frame.type === "control_request") {
      const response = { subtype: "success", request_id: frame.request_id, response: {} }
      return socket.send(`+${number}`, `\t${JSON.stringify({ type: "control_response", response })}`, "=idle")
    }
    if (frame.type !== "user") return socket.send(`+${number}`)
    seq += 1
    const content = (frame.message as { readonly content: unknown }).content
    const text = typeof content === "string" ? content : (content as ReadonlyArray<{ text: string }>)[0]?.text
    socket.send("=busy", `+${number}`)
    socket.emit(seq, resultMessage({ result: text, ...more }))
    socket.send("=idle")
  }
}
