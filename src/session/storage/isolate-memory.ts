// Limits what the sessions of an isolate keep of their conversations in memory between turns.
// Invariant: idle sessions keep no more than `SHARED_BYTES` together; the one that has been idle longest is dropped first.

/** Bytes that one idle session may keep, and all of an isolate together. An isolate has 128 MB for everything. */
const SESSION_BYTES = 8 * 1024 * 1024
const SHARED_BYTES = 32 * 1024 * 1024

/** A session's memory, which can be read from its log again. */
export interface Droppable {
  readonly size: number
  drop(): void
}

/**
 * The idle sessions, the one that has been idle longest first. References are weak: an object that has ended can be
 * collected.
 */
export class IsolateMemory {
  readonly #resting = new Map<WeakRef<Droppable>, number>()
  readonly #refs = new WeakMap<Droppable, WeakRef<Droppable>>()

  /** Call it when the session becomes idle. Its memory may be dropped, or that of others. */
  rest(one: Droppable): void {
    this.use(one)
    if (one.size > SESSION_BYTES) return one.drop()
    const ref = this.#refs.get(one) ?? new WeakRef(one)
    this.#refs.set(one, ref)
    this.#resting.set(ref, one.size)
    this.#fit()
  }

  /** Call it when the session is not idle any more, or has dropped its memory. */
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

/** The one for all sessions of this isolate. */
export const isolateMemory = new IsolateMemory()
