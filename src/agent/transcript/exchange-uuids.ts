// Receives the uuids of a conversation's messages in order; keeps those of its last exchanges, each of which starts with an answer.
// Invariant: an exchange has the uuids of all its messages, or it is forgotten; the last one is never forgotten.

/** After this many uuids the oldest exchange is forgotten. */
const KEPT = 128

/** The uuids in the form in which they are stored. `earlier` is missing in rows of earlier versions. */
export interface SavedUuids {
  /** Those of the last exchange. */
  readonly tail: ReadonlyArray<string>
  readonly earlier?: ReadonlyArray<ReadonlyArray<string>>
}

export class ExchangeUuids {
  /** The first one is what precedes the first known answer. */
  #exchanges: Array<Array<string>> = [[]]

  static of({ tail, earlier = [] }: SavedUuids): ExchangeUuids {
    const made = new ExchangeUuids()
    for (const uuids of [...earlier, tail]) if (uuids.length > 0) made.#exchanges.push([...uuids])
    return made
  }

  save(): SavedUuids {
    const [, ...known] = this.#exchanges
    return { tail: known.at(-1) ?? [], earlier: known.slice(0, -1) }
  }

  /** The uuids of the last `count` exchanges, or null if they are not all known. */
  last(count: number): ReadonlyArray<string> | null {
    return count === 0 || count >= this.#exchanges.length ? null : this.#exchanges.slice(-count).flat()
  }

  add(uuid: string): void {
    this.#exchanges.at(-1)?.push(uuid)
  }

  /** Begins an exchange: the next uuid is that of an answer, or of a summary. */
  begin(): void {
    while (this.#exchanges.length > 1 && this.#exchanges.reduce((sum, { length }) => sum + length, 0) > KEPT)
      this.#exchanges.splice(1, 1)
    this.#exchanges.push([])
  }

  /** The last answer is no longer part of the conversation. */
  withdraw(): void {
    if (this.#exchanges.length > 1) this.#exchanges.pop()
  }

  /** The conversation continues with the last `count` exchanges before this one, which is of a summary. */
  keep(count: number): void {
    const before = this.#exchanges.slice(1, -1)
    this.#exchanges = [[], ...before.slice(Math.max(0, before.length - count))]
  }
}
