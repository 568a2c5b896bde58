// Idempotency keys of a form: an unchanged body is sent again with the same key until its response has arrived.

export class OnceKey {
  readonly #newKey: () => string
  readonly #keys = new Map<string, string>()

  constructor(newKey: () => string) {
    this.#newKey = newKey
  }

  headersFor(json: unknown): { readonly "idempotency-key": string } {
    const body = JSON.stringify(json)
    const key = this.#keys.get(body) ?? this.#newKey()
    this.#keys.set(body, key)
    return { "idempotency-key": key }
  }

  /** Call it when a response has arrived, or when what a request may have made was removed: equal bodies are new requests then. */
  forget(): void {
    this.#keys.clear()
  }
}
