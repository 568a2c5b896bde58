// The one alarm of a session's Durable Object: receives times at which the object must wake; keeps the earliest of them.
// Invariant: the alarm goes off at each time for which it was armed, or before. Only an alarm that guards finished work is
// postponed.

/** How often the object wakes while work is in progress, to resume work that a process left behind. */
export const CHECK_INTERVAL_MS = 30_000

export class Alarm {
  readonly #storage: DurableObjectStorage
  #at: number | null = null
  /** The earliest time for which it was armed; later than `#at` while it guards work. */
  #armedFor: number | null = null

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
  }

  /** Wakes the object at `at` (milliseconds since 1970), or before. */
  arm(at: number): void {
    this.#armedFor = Math.min(at, this.#armedFor ?? at)
    this.guard(at)
  }

  /** As `arm`, for the time of work in progress; `postpone` revokes it. */
  guard(at: number): void {
    if (this.#at === null || at < this.#at) this.#set(at)
  }

  /**
   * Call it when no work is in progress: delays the alarm to `at`, or to the earliest time for which it was armed. Never
   * makes it earlier.
   */
  postpone(at: number): void {
    const next = Math.min(at, this.#armedFor ?? at)
    if (this.#at !== null && this.#at < next) this.#set(next)
  }

  #set(at: number): void {
    this.#at = at
    void this.#storage.setAlarm(at)
  }

  get isArmed(): boolean {
    return this.#at !== null
  }

  /** Call it when the object starts: the alarm may have been armed by the process before. */
  async recall(): Promise<void> {
    this.#at = await this.#storage.getAlarm()
    this.#armedFor = this.#at
  }

  /** Call it when the alarm goes off: none is armed then. */
  wentOff(): void {
    this.#at = null
    this.#armedFor = null
  }

  /**
   * Removes everything that the object has stored, and the alarm first: there is nothing left to wake for. What `leave`
   * writes is committed with the removal.
   */
  async removeAll(leave: () => void = () => undefined): Promise<void> {
    await this.#storage.deleteAlarm()
    const removed = this.#storage.deleteAll()
    leave()
    await removed
    this.wentOff()
  }
}
