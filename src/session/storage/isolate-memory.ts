// What the sessions of an isolate hold of their conversations between turns: they share its memory.
// Invariant: those that rest hold no more than `SHARED_BYTES` together; the one that has rested longest is dropped first.

/** What one session may hold while it rests, and all of an isolate together (bytes). An isolate has 128 MB for everything. */
export const SESSION_BYTES = 8 * 1024 * 1024
export const SHARED_BYTES = 32 * 1024 * 1024

/** A session's memory, which can be read from its log again. */
export interface Droppable {
  readonly size: number
  drop(): void
}

/** Those that rest, the one that has rested longest first. An object that ended leaves nothing but its reference. */
export class IsolateMemory {
  readonly #resting = new Map<WeakRef<Droppable>, number>()
  readonly #refs = new WeakMap<Droppable, WeakRef<Droppable>>()

  /** The session rests now, with what it holds. */
  rest(one: Droppable): void {
    this.use(one)
    if (one.size > SESSION_BYTES) return one.drop()
    const ref = this.#refs.get(one) ?? new WeakRef(one)
    this.#refs.set(one, ref)
    this.#resting.set(ref, one.size)
    this.#fit()
  }

  /** The session does not rest any more, or holds nothing. */
  use(one: Droppable): void {
    const ref = this.#refs.get(one)
    if (ref !== undefined) this.#resting.delete(ref)
  }

  #fit(): void {
    let sum = 0
    for (const [ref, size] of this.#resting) {
      if (ref.deref() === undefined) this.#resting.delete(ref)
      else sum += size
    }
    for (const [ref, size] of this.#resting) {
      if (sum <= SHARED_BYTES) return
      sum -= size
      this.#resting.delete(ref)
      ref.deref()?.drop()
    }
  }
}

/** That of this isolate. */
export const isolateMemory = new IsolateMemory()
