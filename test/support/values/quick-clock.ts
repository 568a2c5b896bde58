// A clock whose sleeps end at once and are recorded: the pauses of retries without the delay.
import { Clock, Duration, Effect } from "effect"

const REAL: Clock.Clock = Effect.runSync(Clock.clockWith((clock) => Effect.succeed(clock)))

export class QuickClock {
  /** Milliseconds of each sleep. */
  readonly slept: Array<number> = []

  readonly clock: Clock.Clock = Object.create(REAL, {
    sleep: {
      value: (duration: Duration.Duration): Effect.Effect<void> =>
        Effect.sync(() => void this.slept.push(Duration.toMillis(duration))),
    },
  })
}
