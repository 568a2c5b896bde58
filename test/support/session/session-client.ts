// A client of the control protocol on a session of the harness: its socket, the frames that it received, and its answers.
import { randomUUID } from "node:crypto"

export type Frame = Readonly<Record<string, unknown>> & { readonly type?: string }

/** The side of a WebSocket that the session sees, with what was sent through it. */
export class FakeSocket {
  readyState: number = WebSocket.OPEN
  #attachment: unknown = null
  readonly #onSent: (text: string) => void

  constructor(onSent: (text: string) => void) {
    this.#onSent = onSent
  }

  serializeAttachment(value: unknown): void {
    this.#attachment = structuredClone(value)
  }

  deserializeAttachment(): unknown {
    return this.#attachment
  }

  send(text: string): void {
    this.#onSent(text)
  }

  close(): void {
    this.readyState = WebSocket.CLOSED
  }
}

/** A hook's answer, or a function of its input. Undefined: it never answers. */
export type HookAnswer =
  | Readonly<Record<string, unknown>>
  | ((
      input: Readonly<Record<string, unknown>>,
    ) => Readonly<Record<string, unknown>> | Promise<Readonly<Record<string, unknown>>> | undefined)

/** Callbacks by event; each has the event's name as its id, and a number from the second on (`Stop#2`). */
export type HookTable = Readonly<Record<string, HookAnswer | ReadonlyArray<HookAnswer>>>

interface HookCallback {
  readonly requestId: string
  readonly callbackId: string
  readonly toolUseId: string
  readonly input: Readonly<Record<string, unknown>>
}

export class SessionClient {
  readonly name: string
  readonly socket: FakeSocket
  /** Every frame and message that it received. */
  readonly frames: Array<Frame> = []
  /** Its answer to `can_use_tool`; undefined: it does not answer. */
  onAsk: (request: Readonly<Record<string, unknown>>, id: string) => Readonly<Record<string, unknown>> | undefined =
    () => undefined
  /** Its answer to a hook callback, by the request's id; undefined: the table's answer. */
  onCallback: (event: string, id: string) => Readonly<Record<string, unknown>> | undefined = () => undefined
  readonly #hooks: HookTable
  readonly #take: (client: string, frame: unknown) => void

  constructor(take: (client: string, frame: unknown) => void, hooks: HookTable = {}, name: string = randomUUID()) {
    this.#take = take
    this.#hooks = hooks
    this.name = name
    this.socket = new FakeSocket((text) => this.#received(text))
  }

  send(frame: unknown): void {
    this.#take(this.name, frame)
  }

  /** Sends a control request; resolves with the `response` of its answer. */
  async request(
    subtype: string,
    fields: object = {},
    id: string = randomUUID(),
  ): Promise<Readonly<Record<string, unknown>>> {
    this.send({ type: "control_request", request_id: id, request: { subtype, ...fields } })
    while (this.answersTo(id).length === 0) await new Promise((resolve) => setImmediate(resolve))
    return this.answersTo(id)[0]!
  }

  /** The matchers of `initialize` for the client's hooks. */
  get hooks(): Record<string, unknown> {
    return Object.fromEntries(
      Object.entries(this.#hooks).map(([event, answers]) => [
        event,
        [{ hookCallbackIds: listOf(answers).map((_, index) => (index === 0 ? event : `${event}#${index + 1}`)) }],
      ]),
    )
  }

  initialize(fields: object = {}): Promise<Readonly<Record<string, unknown>>> {
    return this.request("initialize", { hooks: this.hooks, ...fields })
  }

  /** The `control_response`s to a request. */
  answersTo(id: string): ReadonlyArray<Readonly<Record<string, unknown>>> {
    return this.frames
      .filter((frame) => frame.type === "control_response")
      .map((frame) => frame["response"] as Readonly<Record<string, unknown>>)
      .filter((response) => response["request_id"] === id)
  }

  /** The requests that it received. */
  asked(subtype: string): ReadonlyArray<{ readonly id: string; readonly request: Readonly<Record<string, unknown>> }> {
    return this.frames
      .filter((frame) => frame.type === "control_request")
      .map((frame) => ({ id: String(frame["request_id"]), request: frame["request"] as Record<string, unknown> }))
      .filter(({ request }) => request["subtype"] === subtype)
  }

  /** The hook callbacks that it received. */
  get called(): ReadonlyArray<HookCallback> {
    return this.asked("hook_callback").map(({ id, request }) => ({
      requestId: id,
      callbackId: String(request["callback_id"]),
      toolUseId: String(request["tool_use_id"]),
      input: request["input"] as Readonly<Record<string, unknown>>,
    }))
  }

  /** The ids of withdrawn requests. */
  get cancelled(): ReadonlyArray<string> {
    return this.frames
      .filter((frame) => frame.type === "control_cancel_request")
      .map((frame) => String(frame["request_id"]))
  }

  answer(id: string, response: Readonly<Record<string, unknown>>): void {
    this.send({ type: "control_response", response: { subtype: "success", request_id: id, response } })
  }

  #received(text: string): void {
    for (const line of text.split("\n").filter((line) => line !== "")) {
      const frame = JSON.parse(line) as Frame
      this.frames.push(frame)
      if (frame.type === "control_request") void this.#asked(frame)
    }
  }

  async #asked(frame: Frame): Promise<void> {
    const id = String(frame["request_id"])
    const request = frame["request"] as Readonly<Record<string, unknown>>
    if (request["subtype"] === "can_use_tool") {
      const answer = this.onAsk(request, id)
      if (answer !== undefined) this.answer(id, answer)
    }
    if (request["subtype"] !== "hook_callback") return
    const [event = "", number = "1"] = String(request["callback_id"]).split("#")
    const hook = listOf(this.#hooks[event] ?? [])[Number(number) - 1]
    const input = request["input"] as Readonly<Record<string, unknown>>
    const answer = this.onCallback(event, id) ?? (await (typeof hook === "function" ? hook(input) : hook))
    if (answer !== undefined) this.answer(id, answer)
  }
}

const listOf = (answers: HookAnswer | ReadonlyArray<HookAnswer>): ReadonlyArray<HookAnswer> =>
  Array.isArray(answers) ? (answers as ReadonlyArray<HookAnswer>) : [answers as HookAnswer]
