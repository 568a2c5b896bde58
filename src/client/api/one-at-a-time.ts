// Runs the work of one name in order, each after the one before has ended; names do not wait for each other.
// Invariant: work that fails holds up nothing that follows, and a name without work is not kept.

export class OneAtATime {
  readonly #last = new Map<string, Promise<unknown>>()

  run<A>(name: string, work: () => Promise<A>): Promise<A> {
    const done = (this.#last.get(name) ?? Promise.resolve()).then(work, work)
    this.#last.set(name, done)
    const forget = () => {
      if (this.#last.get(name) === done) this.#last.delete(name)
    }
    done.then(forget, forget)
    return done
  }
}
