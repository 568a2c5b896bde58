// How long a runner has run in its invocation of the object, and whether that invocation is still alive.
// Receives the steps of the runner; returns whether it must hand over, and whether its timers have stopped.
// Invariant: the clock only reads the time that timers of its own invocation noted, so it stops when that invocation is cut off.

import type { Env } from "../../schemas/env.ts"

/** The limits of one invocation. Cloudflare ends an alarm's after 15 minutes of wall time or five of CPU. */
export interface Invocation {
  /** Milliseconds of wall time. */
  readonly ms: number
  /** Steps, because the CPU time can't be read; a step uses far less than a hundredth of it. */
  readonly steps: number
  /** Milliseconds between two pulses of the clock. */
  readonly pulseMs: number
}

const INVOCATION: Invocation = { ms: 12 * 60_000, steps: 100, pulseMs: 10_000 }

/** Whether PERCH_INVOCATION_SECONDS can be read; it may be missing or empty. */
export const isInvocationSetting = (seconds = ""): boolean => /^\d{0,4}$/.test(seconds)

/** The limits, from the server's settings. */
export const invocationOf = ({
  PERCH_INVOCATION_SECONDS: seconds = "",
}: Pick<Env, "PERCH_INVOCATION_SECONDS">): Invocation =>
  seconds !== "" && isInvocationSetting(seconds) ? { ...INVOCATION, ms: Number(seconds) * 1000 } : INVOCATION

/** Pulses that may be missed: timers are late while a script computes. */
const MISSED_PULSES = 2.5
/** Share of a pulse that late timers are given to fire before an invocation counts as cut. */
const GRACE = 0.2

export class InvocationClock {
  readonly #settings: Invocation
  readonly #now: () => number
  readonly #startedAt: number
  #beatAt: number
  #steps = 0
  #timer: ReturnType<typeof setTimeout> | null = null

  constructor(settings: Invocation, now: () => number) {
    this.#settings = settings
    this.#now = now
    this.#startedAt = now()
    this.#beatAt = this.#startedAt
    this.#beat()
  }

  readonly #beat = (): void => {
    this.#beatAt = this.#now()
    this.#timer = setTimeout(this.#beat, this.#settings.pulseMs)
  }

  /** Call it when nothing runs any more. */
  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
  }

  /** Counts a step that has ended; true when no other may start in this invocation. */
  countStep(): boolean {
    this.#steps += 1
    return this.#steps >= this.#settings.steps || this.#now() - this.#startedAt >= this.#settings.ms
  }

  /** True when no timer of the invocation has fired for `MISSED_PULSES` pulses. */
  isSilent(): boolean {
    return this.#now() - this.#beatAt > this.#settings.pulseMs * MISSED_PULSES
  }

  /** As `isSilent`, after a moment in which timers that are merely late can fire. Call it from another invocation. */
  async confirmSilence(): Promise<boolean> {
    await new Promise((resolve) => setTimeout(resolve, this.#settings.pulseMs * GRACE))
    return this.isSilent()
  }
}
