// The sockets that subscribe to a run's log: sends the past signals, and then each committed signal, as feed lines.
// Invariant: a socket receives each signal once and in order; a long log is sent in parts, after each of which the reader
// reopens the feed at its position.
import { ok, refused, type RpcResult } from "../../schemas/errors/rpc-error.ts"
import { encodeFeedLine } from "../../schemas/log/feed-line.ts"
import type { RunSignal } from "../../schemas/api/workflows.ts"
import type { RunBook } from "./run-book.ts"

/** Maximum bytes of past signals for one socket. */
const PART_BYTES = 4 * 1024 * 1024
const PART_SIGNALS = 5000

export class RunFeed {
  readonly #state: Pick<DurableObjectState, "acceptWebSocket" | "getWebSockets">
  readonly #book: RunBook

  constructor(state: Pick<DurableObjectState, "acceptWebSocket" | "getWebSockets">, book: RunBook) {
    this.#state = state
    this.#book = book
  }

  /** Opens a feed after a seq, or after the newest signal (`head`), unless `most` are open. */
  open(after: string, most: number): RpcResult<Response> {
    const open = this.#state.getWebSockets().filter(({ readyState }) => readyState === WebSocket.OPEN)
    if (open.length >= most) return tooMany(most)
    const { 0: client, 1: server } = new WebSocketPair()
    this.#state.acceptWebSocket(server)
    const { lastSeq } = this.#book.existing
    const from = after === "head" ? lastSeq : Number(after)
    if (from > lastSeq) server.send(line(null, "feed:truncated", JSON.stringify({ last_seq: lastSeq })))
    const rows = this.#book.page(from, PART_SIGNALS, PART_BYTES)
    for (const { seq, json } of rows) server.send(signalLine(seq, json))
    const sent = rows.at(-1)?.seq ?? lastSeq
    if (sent < lastSeq) server.close(1000, "more follows")
    else server.send(line(null, "feed:live", JSON.stringify({ last_seq: lastSeq })))
    return ok(new Response(null, { status: 101, webSocket: client }))
  }

  publish(signals: ReadonlyArray<RunSignal>): void {
    const sockets = signals.length === 0 ? [] : this.#state.getWebSockets()
    for (const { seq, ...signal } of signals) {
      const text = signalLine(seq, JSON.stringify(signal))
      for (const socket of sockets) if (socket.readyState === WebSocket.OPEN) socket.send(text)
    }
  }

  /** Closes all sockets, because the run was erased. */
  close(): void {
    for (const socket of this.#state.getWebSockets()) socket.close(1000, "the run was deleted")
  }
}

const tooMany = (most: number): RpcResult<never> =>
  refused("rate_limit_error", `the run has reached its maximum number of streams (${most}). Close one of them.`, {
    retry_after: 5,
  })

/** The feed line of a stored signal, with its seq. */
const signalLine = (seq: number, json: string): string => {
  // The stored JSON is an object without `seq`, so the seq can be inserted as its first field.
  const { name } = JSON.parse(json) as Pick<RunSignal, "name">
  return line(seq, name, `{"seq":${seq},${json.slice(1)}`)
}

const line = (seq: number | null, name: string, json: string): string =>
  encodeFeedLine({ seq, at: 0, turn: null, name, json })
