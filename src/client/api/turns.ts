// Runs prompts: `stream` yields a turn's messages, `run` waits for its end. Both survive broken connections.
// Invariant: a prompt is sent under one Idempotency-Key, so that sending it again returns the same turn and never starts a second.
import { newUuid } from "./new-uuid.ts"
import { readEventStream } from "./event-stream.ts"
import type { ResultMessage } from "./messages.ts"
import { ConflictError } from "./perch-error.ts"
import type { Ask, AskAnswer, FirstQuery, Turn, TurnStatus } from "./session-shapes.ts"
import { segment, sessionPath, type Transport } from "./transport.ts"

/** Receives an ask and returns its answer; when it returns undefined, the ask stays open. */
export type OnAsk = (ask: Ask) => AskAnswer | undefined | Promise<AskAnswer | undefined>

/** How to wait for a turn. */
export interface WaitOptions {
  /** Stops waiting; the turn itself continues. `interrupt()` ends it. */
  readonly signal?: AbortSignal | undefined
  /**
   * Answers the asks that block the turn: permissions, questions, plans, calls of client tools. An ask that it has answered is
   * not passed to it again. An answer that arrives after another client's, or after an interrupt, has no effect.
   */
  readonly onAsk?: OnAsk | undefined
}

/** How to send a prompt and wait for its turn. */
export interface TurnOptions extends WaitOptions {
  /** The Idempotency-Key of the request; a random one by default. */
  readonly idempotencyKey?: string | undefined
}

interface TurnName {
  readonly session_id: string
  readonly turn_id: string
}

/** How a turn ended, or which asks it waits for. */
export type TurnOutcome =
  | (TurnName & { readonly status: "finished"; readonly result: ResultMessage })
  /** It waits for the answers to the asks in `pending`. */
  | (TurnName & { readonly status: "requires_action"; readonly pending: ReadonlyArray<Ask> })
  /** The prompt was withdrawn before its turn ran. */
  | (TurnName & { readonly status: "cancelled" })

interface Accepted extends TurnName {
  readonly status: TurnStatus
  readonly pending: ReadonlyArray<Ask>
}

/** The server answers a query after ten minutes at the latest. */
const QUERY_MS = 11 * 60_000
/** Seconds that the server may wait with its response about a turn, and the milliseconds allowed on top of that. */
const WAIT_S = 60
const ANSWER_MS = 90_000

export class Turns {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Resolves when the turn has ended, or waits for an ask that `onAsk` does not answer. */
  async run(id: string | null, query: string | FirstQuery, options: TurnOptions): Promise<TurnOutcome> {
    const { idempotencyKey = newUuid() } = options
    const { body, headers } = await this.#transport.answer<ResultMessage | Accepted>("POST", pathOf(id), {
      json: bodyOf(query),
      headers: { "idempotency-key": idempotencyKey },
      timeoutMs: QUERY_MS,
      bodyMs: ANSWER_MS,
      signal: options.signal,
    })
    if ("type" in body) {
      const turn_id = headers.get("perch-turn-id") ?? ""
      return { status: "finished", session_id: body.session_id, turn_id, result: body }
    }
    const { session_id, turn_id, pending } = body
    const asks = new Asks(this, session_id, options)
    const open = await asks.answer(pending)
    if (open.length > 0) return { status: "requires_action", session_id, turn_id, pending: open }
    return this.#wait(session_id, turn_id, asks, options)
  }

  /** The same for an existing turn. */
  wait(id: string, turn: string, options: WaitOptions): Promise<TurnOutcome> {
    return this.#wait(id, turn, new Asks(this, id, options), options)
  }

  async #wait(id: string, turn: string, asks: Asks, { signal }: WaitOptions): Promise<TurnOutcome> {
    const name = { session_id: id, turn_id: turn }
    for (;;) {
      const { result, status, pending } = await this.read(id, turn, { wait: WAIT_S, signal })
      if (result !== null) return { status: "finished", ...name, result }
      if (status === "cancelled") return { status, ...name }
      if (isOver(status)) throw new Error(`Turn ${turn} has no result: it is part of the session's imported history.`)
      const open = await asks.answer(pending)
      if (open.length > 0) return { status: "requires_action", ...name, pending: open }
    }
  }

  /** Yields the turn's messages up to and including its result; ends without one when the turn is cancelled. */
  async *stream<Message>(
    id: string | null,
    query: string | FirstQuery,
    options: TurnOptions,
  ): AsyncGenerator<Message, void> {
    const { signal, onAsk, idempotencyKey = newUuid() } = options
    let session = id ?? ""
    const connect = async (after: number | undefined, stop: AbortSignal): Promise<Response> => {
      const response = await this.#transport.send("POST", pathOf(id), {
        json: bodyOf(query),
        headers: {
          "idempotency-key": idempotencyKey,
          accept: "text/event-stream",
          // Continues the same turn after the last event that was received.
          "last-event-id": after === undefined ? undefined : String(after),
        },
        signal: stop,
        repeat: "never",
      })
      session = response.headers.get("perch-session-id") ?? session
      return response
    }
    const answered = new Set<string>()
    const events = readEventStream<unknown>({ connect, signal, attempts: this.#transport.reconnects })
    for await (const { event, message } of events) {
      if (event === "turn_cancelled") return
      if (event === "ask" && onAsk !== undefined) {
        const ask = message as Ask // the payload of an `ask` event
        await new Asks(this, session, options, answered).answer([ask])
      }
      if (event !== "message") continue
      yield message as Message // the type that the app chose for messages
      if ((message as { readonly type?: unknown }).type === "result") return
    }
  }

  read(
    id: string,
    turn: string,
    { wait, signal }: { readonly wait?: number | undefined; readonly signal?: AbortSignal | undefined },
  ): Promise<Turn> {
    return this.#transport.json("GET", sessionPath(id, `/turns/${segment("The turn's id", turn)}`), {
      query: { wait },
      timeoutMs: ANSWER_MS + (wait ?? 0) * 1000,
      signal,
    })
  }

  /** Throws ConflictError when the ask has a different answer already. */
  async answer(id: string, requestId: string, answer: AskAnswer, signal?: AbortSignal): Promise<void> {
    const path = sessionPath(id, `/permissions/${segment("The request's id", requestId)}`)
    await this.#transport.json("POST", path, { json: answer, signal })
  }
}

/** Passes asks to the app's `onAsk`, and its answers to the server, one per ask. */
class Asks {
  readonly #turns: Turns
  readonly #session: string
  readonly #options: WaitOptions
  readonly #answered: Set<string>

  constructor(turns: Turns, session: string, options: WaitOptions, answered = new Set<string>()) {
    this.#turns = turns
    this.#session = session
    this.#options = options
    this.#answered = answered
  }

  /** Returns the asks that `onAsk` left unanswered. */
  async answer(pending: ReadonlyArray<Ask>): Promise<ReadonlyArray<Ask>> {
    const { onAsk, signal } = this.#options
    if (onAsk === undefined) return pending
    const open: Array<Ask> = []
    for (const ask of pending) {
      if (this.#answered.has(ask.request_id)) continue
      const answer = await onAsk(ask)
      if (answer === undefined) {
        open.push(ask)
        continue
      }
      this.#answered.add(ask.request_id)
      try {
        await this.#turns.answer(this.#session, ask.request_id, answer, signal)
      } catch (error) {
        // The ask was settled meanwhile by another client, an interrupt or its expiry; the turn continues, so keep waiting.
        if (!(error instanceof ConflictError)) throw error
      }
    }
    return open
  }
}

const isOver = (status: TurnStatus): boolean =>
  status === "completed" || status === "failed" || status === "interrupted"

const bodyOf = (query: string | FirstQuery): FirstQuery => (typeof query === "string" ? { prompt: query } : query)

const pathOf = (id: string | null): string => (id === null ? "/v1/query" : sessionPath(id, "/query"))
