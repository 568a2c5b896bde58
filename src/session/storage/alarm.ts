// The one alarm of a session's Durable Object: receives times at which the object must wake; keeps the earliest of them.
// Invariant: an alarm is never moved to a later time, so each part that armed it may rely on it.

/** While something is under way the object wakes this often: work that a process left behind is taken up then. */
export const CHECK_INTERVAL_MS = 30_000

export class Alarm {
  readonly #storage: DurableObjectStorage
  #at: number | null = null

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
  }

  /** Wakes the object at `at` (milliseconds since 1970), or before. */
  arm(at: number): void {
    if (this.#at !== null && this.#at <= at) return
    this.#at = at
    void this.#storage.setAlarm(at)
  }

  get isArmed(): boolean {
    return this.#at !== null
  }

  /** Call it when the object starts: the alarm may have been armed by the process before. */
  async recall(): Promise<void> {
    this.#at = await this.#storage.getAlarm()
  }

  /** Call it when the alarm goes off: none is armed then. */
  wentOff(): void {
    this.#at = null
  }

  /** Removes everything that the object has stored, and the alarm first: there is nothing left to wake for. */
  async removeAll(): Promise<void> {
    await this.#storage.deleteAlarm()
    await this.#storage.deleteAll()
    this.#at = null
  }
}
