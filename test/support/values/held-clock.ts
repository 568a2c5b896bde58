// A clock whose sleeps of one length end when a test ends them; all others, such as those of retries, take real time.
import { Clock, Duration, Effect } from "effect"

const REAL: Clock.Clock = Effect.runSync(Clock.clockWith((clock) => Effect.succeed(clock)))

export class HeldClock {
  #held: Array<() => void> = []
  readonly #ms: number

  /** Only sleeps of exactly `ms` milliseconds are held. */
  constructor(ms: number) {
    this.#ms = ms
  }

  /** The number of current sleeps. */
  get sleeping(): number {
    return this.#held.length
  }

  /** Ends the held sleeps. */
  pass(): void {
    for (const wake of this.#held.splice(0)) wake()
  }

  readonly clock: Clock.Clock = Object.create(REAL, {
    sleep: {
      value: (duration: Duration.Duration): Effect.Effect<void> =>
        Duration.toMillis(duration) === this.#ms ? this.#hold : REAL.sleep(duration),
    },
  })

  readonly #hold = Effect.callback<void>((resume) => {
    const wake = () => resume(Effect.void)
    this.#held.push(wake)
    return Effect.sync(() => {
      this.#held = this.#held.filter((other) => other !== wake)
    })
  })
}
