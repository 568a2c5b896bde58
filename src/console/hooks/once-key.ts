// Idempotency keys of a form: an unchanged body is sent again with the same key, a changed one with a new key.

export class OnceKey {
  readonly #newKey: () => string
  #last: { readonly body: string; readonly key: string } | null = null

  constructor(newKey: () => string) {
    this.#newKey = newKey
  }

  headersFor(json: unknown): { readonly "idempotency-key": string } {
    const body = JSON.stringify(json)
    if (this.#last?.body !== body) this.#last = { body, key: this.#newKey() }
    return { "idempotency-key": this.#last.key }
  }
}
