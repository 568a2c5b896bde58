// Runs the tasks of one name one after the other, in the order of the calls; tasks of different names run concurrently.
// Invariant: a task that fails does not block those after it, and a name without pending tasks is forgotten.

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
