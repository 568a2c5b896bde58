// Receives a session's events as they are written; reports each turn once, when its result is written.
// Invariant: a report has ids, counts and times, never content; a turn that started in another process is summed from the log.
import type { CallFinished, PayloadOf } from "../schemas/log/event-payloads.ts"
import { EventNames, isTurnResult, type LogEvent, type ResultName } from "../schemas/log/events.ts"
import { usageCount } from "../schemas/sdk/messages/usage.ts"

/** The totals of a turn. `usd` is null when none of its requests has a price. */
export interface TurnReport {
  readonly tenant: string
  readonly session: string
  readonly turn: string
  readonly model: string
  /** The result's subtype, such as `success`. */
  readonly outcome: string
  readonly is_error: boolean
  readonly terminal_reason: string | null
  readonly duration_ms: number
  readonly steps: number
  readonly requests: number
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cache_read_tokens: number
  readonly cache_write_tokens: number
  readonly usd: number | null
}

interface Sums {
  model: string
  requests: number
  input: number
  output: number
  cacheRead: number
  cacheWrite: number
  usd: number | null
}

export interface TurnMeterDeps {
  readonly tenant: string
  readonly sessionId: string
  /** True when the session plays a recording: no request is sent or paid. */
  readonly isPlayback: boolean
  /** Every finished model request of a turn, from the log. */
  readonly requestsOf: (turn: string) => Iterable<CallFinished>
  readonly report: (report: TurnReport) => void
}

export class TurnMeter {
  readonly #deps: TurnMeterDeps
  /** The running turn, if this process saw it start. */
  #running: { readonly turn: string; readonly sums: Sums } | null = null

  constructor(deps: TurnMeterDeps) {
    this.#deps = deps
  }

  see(event: LogEvent): void {
    const { name, turn, payload } = event
    if (turn === null) return
    if (name === "sdk:system/init") this.#running = { turn, sums: noSums() }
    else if (name === EventNames.callFinished && this.#running?.turn === turn) {
      add(this.#running.sums, payload)
    } else if (isTurnResult(event)) {
      this.#deps.report(this.#report(turn, event.payload))
      this.#running = null
    }
  }

  #report(turn: string, result: PayloadOf<ResultName>): TurnReport {
    const found = this.#running?.turn === turn ? this.#running.sums : this.#fromLog(turn)
    const sums = this.#deps.isPlayback ? { ...noSums(), model: found.model } : found
    return {
      tenant: this.#deps.tenant,
      session: this.#deps.sessionId,
      turn,
      model: sums.model,
      outcome: result.subtype,
      is_error: result.is_error === true,
      terminal_reason: result.terminal_reason ?? null,
      duration_ms: result.duration_ms ?? 0,
      steps: result.num_turns ?? 0,
      requests: sums.requests,
      input_tokens: sums.input,
      output_tokens: sums.output,
      cache_read_tokens: sums.cacheRead,
      cache_write_tokens: sums.cacheWrite,
      usd: sums.usd,
    }
  }

  #fromLog(turn: string): Sums {
    const sums = noSums()
    for (const call of this.#deps.requestsOf(turn)) add(sums, call)
    return sums
  }
}

const noSums = (): Sums => ({ model: "", requests: 0, input: 0, output: 0, cacheRead: 0, cacheWrite: 0, usd: null })

const add = (sums: Sums, { model, usage, usd, imported }: CallFinished): void => {
  // An imported request was paid for by another session.
  if (imported === true) return
  if (sums.model === "") sums.model = model
  sums.requests += 1
  sums.input += usageCount(usage.input_tokens)
  sums.output += usageCount(usage.output_tokens)
  sums.cacheRead += usageCount(usage.cache_read_input_tokens)
  sums.cacheWrite += usageCount(usage.cache_creation_input_tokens)
  // Rounded to millionths of a cent, which removes floating-point noise.
  if (usd !== null) sums.usd = Math.round(((sums.usd ?? 0) + usd) * 1e8) / 1e8
}
