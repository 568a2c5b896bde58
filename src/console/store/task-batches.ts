// Collects items that arrive in one task of the page, and passes them on together in the next one.
// Invariant: items are passed on in order. A timer would be delayed in a background tab, a message is not.

export class TaskBatches<Item> {
  readonly #channel = new MessageChannel()
  #waiting: Array<Item> = []

  constructor(take: (items: ReadonlyArray<Item>) => void) {
    this.#channel.port1.onmessage = () => take(this.#waiting.splice(0))
  }

  add(item: Item): void {
    if (this.#waiting.push(item) === 1) this.#channel.port2.postMessage(null)
  }

  /** Drops what was not passed on. */
  close(): void {
    this.#channel.port1.close()
  }
}
