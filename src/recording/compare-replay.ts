// Receives a session that replayed a recording; returns the first difference between the two, up to the end of the recording.
// Invariant: only a session of the recording's own tenant is read, and at most `MAX_CHARACTERS` of each side.
import type { Env } from "../schemas/env.ts"
import { isPlainObject } from "../schemas/plain-object.ts"
import { ok, refused, type RpcResult } from "../schemas/errors/rpc-error.ts"
import type { Comparison, RecordArgs } from "../schemas/rpc/recording-rpc.ts"
import type { Signal } from "../schemas/signal.ts"
import { firstSignalDifference } from "./compare-signals.ts"
import type { RecordingBook } from "./recording-book.ts"

/** The most characters of signals of each side, since both are kept in memory. */
const MAX_CHARACTERS = 24 * 1024 * 1024

export const compareReplay = async (
  book: RecordingBook,
  env: Env,
  tenant: string,
  replay: RecordArgs["from"],
): Promise<RpcResult<Comparison>> => {
  if (!("session_id" in replay)) throw new Error("a run is compared by its own object")
  const recorded = new Held()
  for (const signal of book.items<Signal>("signal")) if (!recorded.add(signal)) return TOO_LARGE
  const session = env.SESSIONS.getByName(`${tenant}/${replay.session_id}`)
  const played = new Held()
  for (let after: string | null = null; ;) {
    const page = await session.recordedPage(after)
    if (!page.ok) return page
    for (const signal of page.value.signals) if (!played.add(signal)) return TOO_LARGE
    if (page.value.next === null) break
    after = page.value.next
  }
  const finalized = book.info()?.finalized !== false
  const found = firstSignalDifference(recorded.signals, played.signals, finalized)
  const difference =
    found === null
      ? null
      : { part: found.part, index: found.index, recorded: found.recorded, got: found.played, text: found.text }
  // A replay that reaches the end of a recording in the middle of a turn finds no further answer there.
  const isComplete = !finalized && difference === null
  const not_found = isComplete ? null : notFoundIn(played.signals)
  return ok({ events: recorded.signals.length, difference, not_found })
}

const notFoundIn = (signals: ReadonlyArray<Signal>): string | null => {
  for (const { name, payload } of signals) {
    if (!name.startsWith("sdk:result:") || !isPlainObject(payload)) continue
    const { terminal_reason: reason, errors } = payload
    if (reason === "recording_not_found" && Array.isArray(errors)) return errors.join("\n")
  }
  return null
}

class Held {
  readonly signals: Array<Signal> = []
  #room = MAX_CHARACTERS

  /** Adds a signal; false when they are too large together. */
  add(signal: Signal): boolean {
    this.#room -= JSON.stringify(signal).length
    this.signals.push(signal)
    return this.#room >= 0
  }
}

const TOO_LARGE = refused(
  "conflict_error",
  "The recording is too large to be compared by the server: 24 MiB of signals. Compare the pages of both.",
)
