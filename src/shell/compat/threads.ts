// The script of a run and its commands with `&`: one of them runs at a time, until it waits for a `sleep`, a response or the end of
// another command. Then the next one that can continue does so.
// Invariant: each finds the shell's state as it was when it began to wait.

/** Installs a state that was captured. */
export type Install = () => void

/** What handles a signal. */
type Signalled = Pick<Thread, "signal" | "ends" | "wake">

interface Facts {
  /** Identifies where it prints. */
  readonly output: unknown
  /** The state of the shell that has started it. */
  readonly shell: object
  /** True if it neither prints nor changes anything. */
  readonly idle: boolean
}

/** A command that was started with `&`. */
export interface Thread extends Facts {
  /** Its exit code; null while it runs. */
  code: number | null
  /** The signal that it has been sent and has not handled yet. */
  signal: number | null
  /** Resolves when it ends. */
  work: Promise<void>
  /** Captures the state that another thread would change. */
  readonly capture: () => Install
  /** Installs what was captured when it began to wait. */
  install: Install
  /** Its place in the order in which commands have ended, from 1; 0 while it runs. */
  place: number
  /** The arguments of `exit` if a signal has ended it. */
  ends: Array<string> | null
  /** Lets it continue, if it waits for something that a signal interrupts. */
  wake: () => void
  /** Lets it continue. */
  go: () => void
  /** Returns to what has started or continued it. */
  pause: () => void
}

const nothing = () => {}

export class Threads {
  /** Null while the script itself runs. */
  current: Thread | null = null
  readonly script: Signalled = { signal: null, ends: null, wake: nothing }
  /** True if the scripts of this run have commands with `&`. */
  used = false
  readonly #open = new Set<Thread>()
  #ended = 0
  readonly #ready: Array<Thread> = []
  #notify = nothing
  /** Stops the run. */
  signal: AbortSignal | undefined
  readonly #stops = new Set<() => void>()

  /** Resolves when the run or the shell with this signal is stopped, or after `delay` milliseconds. */
  stopped(signal: AbortSignal | undefined, delay: number | null): Promise<void> {
    const signals = [this.signal, signal]
    if (signals.some((one) => one?.aborted === true)) return Promise.resolve()
    const { promise, resolve } = Promise.withResolvers<void>()
    const stop = () => {
      clearTimeout(timer)
      for (const one of signals) one?.removeEventListener("abort", stop)
      this.#stops.delete(stop)
      resolve()
    }
    const timer = delay === null ? undefined : setTimeout(stop, delay)
    for (const one of signals) one?.addEventListener("abort", stop)
    this.#stops.add(stop)
    return promise
  }

  /** Call it when the run ends: nothing continues after that. */
  close(): void {
    for (const stop of this.#stops) stop()
  }

  /** The response to a request; the script and other commands continue meanwhile. */
  async response<A>(request: Promise<A>): Promise<A> {
    await this.during(request, false)
    return request
  }

  /** True if anything can continue while the script waits. */
  get any(): boolean {
    return this.#open.size > 0
  }

  /** Runs a command until it waits or ends. `run` returns its exit code; a rejection ends the script, too. */
  async start(facts: Facts, capture: () => Install, run: () => Promise<number>): Promise<Thread> {
    const thread: Thread = {
      ...facts,
      code: null,
      signal: null,
      place: 0,
      ends: null,
      work: Promise.resolve(),
      capture,
      install: nothing,
      wake: nothing,
      go: nothing,
      pause: nothing,
    }
    this.#open.add(thread)
    await this.#continue(thread, () => {
      thread.work = run()
        .then((code) => {
          thread.code = code
          thread.place = this.#ended += 1
        })
        .finally(() => this.#open.delete(thread))
    })
    return thread
  }

  /** Waits for the commands that print to an output, or for all. */
  async ends(output: unknown): Promise<void> {
    const works = Array.from(this.#open)
      .filter((thread) => !thread.idle && thread !== this.current && (output === null || thread.output === output))
      .map(({ work }) => work)
    if (works.length > 0) await this.during(Promise.race([Promise.all(works), this.stopped(undefined, null)]), true)
  }

  /** Waits for an operation. `isInterrupted`: whether a signal to the current command ends the waiting. */
  async during(operation: Promise<unknown>, isInterrupted: boolean): Promise<void> {
    const thread = this.current
    if (thread === null) return this.#others(operation, isInterrupted)
    const { promise, resolve } = Promise.withResolvers<void>()
    let isReady = false
    const ready = () => {
      if (isReady) return
      isReady = true
      this.#ready.push(thread)
      this.#notify()
    }
    operation.then(ready, ready)
    thread.wake = isInterrupted ? ready : nothing
    thread.go = resolve
    thread.pause()
    await promise
    thread.wake = nothing
  }

  /** Runs the commands that can continue, until the operation has ended. */
  async #others(operation: Promise<unknown>, isInterrupted: boolean): Promise<void> {
    let ended = false
    const end = () => {
      ended = true
      this.#notify()
    }
    operation.then(end, end)
    this.script.wake = isInterrupted ? end : nothing
    for (;;) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#notify = resolve
      const next = ended ? undefined : this.#ready.shift()
      if (next !== undefined) await this.#continue(next, next.go)
      else if (ended) return
      else await promise
    }
  }

  /** Runs a thread until it waits or ends. */
  async #continue(thread: Thread, go: () => void): Promise<void> {
    const outer = this.current
    const back = thread.capture()
    thread.install()
    this.current = thread
    const paused = Promise.withResolvers<void>()
    thread.pause = paused.resolve
    go()
    try {
      await Promise.race([paused.promise, thread.work])
    } finally {
      this.current = outer
      thread.install = thread.capture()
      back()
    }
  }
}
