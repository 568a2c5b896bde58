// The two ends of an in-memory WebSocket, as the platform provides them: one end receives what the other sends or closes, in
// order. Messages sent before `accept` are queued.

export class FakeEnd extends EventTarget {
  #other: FakeEnd | null = null
  #accepted = false
  readonly #waiting: Array<Event> = []
  readyState: number = WebSocket.OPEN
  /** All text that this end has received. */
  readonly received: Array<string> = []
  /** How the other end closed; undefined until it has. */
  closed: { readonly code: number; readonly reason: string } | null = null

  static pair(): readonly [FakeEnd, FakeEnd] {
    const [a, b] = [new FakeEnd(), new FakeEnd()]
    a.#other = b
    b.#other = a
    return [a, b]
  }

  accept(): void {
    this.#accepted = true
    for (const event of this.#waiting.splice(0)) this.receive(event)
  }

  send(data: unknown): void {
    if (this.readyState !== WebSocket.OPEN) throw new Error("this end is closed")
    this.#other?.receive(new MessageEvent("message", { data }))
  }

  /** Rejects reserved close codes, as the platform does. */
  close(code = 1005, reason = ""): void {
    if ([1004, 1006, 1015].includes(code)) throw new Error(`${code} may not be sent`)
    if (new TextEncoder().encode(reason).byteLength > 123) throw new Error("the reason is too long")
    this.vanish(code, reason)
  }

  /** Disconnects without a close frame, unless a code is given. */
  vanish(code = 1006, reason = ""): void {
    if (this.readyState !== WebSocket.OPEN) return
    this.readyState = WebSocket.CLOSED
    this.#other?.receive(Object.assign(new Event("close"), { code, reason }))
  }

  receive(event: Event): void {
    if (!this.#accepted) return void this.#waiting.push(event)
    if (event instanceof MessageEvent) this.received.push(String(event.data))
    else {
      const { code, reason } = event as Event & { code: number; reason: string } // made above
      this.closed = { code, reason }
      this.readyState = WebSocket.CLOSED
    }
    this.dispatchEvent(event)
  }
}

/** For code that takes the platform's WebSocket; it uses only members that the fake has. */
export const asWebSocket = (end: FakeEnd): WebSocket => end as unknown as WebSocket
