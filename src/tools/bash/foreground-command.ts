// Receives a Bash call that its turn waits for; returns the script's outcome, or that it continues in the background.
// Invariant: the script runs once; after it has moved to the background, the end of its turn no longer stops it.
import { MAX_BACKGROUND_TASKS } from "./background-port.ts"
import type { RunScript } from "./background-command.ts"
import type { ToolContext } from "../tool.ts"

type Ended<Run extends RunScript> = Awaited<ReturnType<Run>>

/** The ended script, or for one that continues in the background a function that returns its outcome. */
export type ForegroundEnd<Run extends RunScript> =
  | { readonly kind: "ended"; readonly ended: Ended<Run> }
  | { readonly kind: "left"; readonly goesOn: (signal: AbortSignal) => Promise<Ended<Run>> }

export const inForeground = async <Run extends RunScript>(
  { background, enter, signal: turn, toolUseId }: Pick<ToolContext, "background" | "enter" | "signal" | "toolUseId">,
  run: Run,
  signal: AbortSignal,
): Promise<ForegroundEnd<Run>> => {
  const stop = new AbortController()
  const abort = () => stop.abort()
  const given = AbortSignal.any([signal, turn])
  given.addEventListener("abort", abort)
  // `Ended<Run>` is by definition what `run` resolves with.
  const work = run(stop.signal) as Promise<Ended<Run>>
  const commands = () => (background?.running() ?? []).filter(({ agent }) => agent === undefined)
  const call = enter?.(toolUseId, { isBusy: () => commands().length >= MAX_BACKGROUND_TASKS })
  const left = call?.left.then(() => ({ kind: "left" as const }))
  const ended = work.then((value) => ({ kind: "ended" as const, ended: value }))
  try {
    const first = await Promise.race(left === undefined ? [ended] : [ended, left])
    if (first.kind === "ended") return first
    given.removeEventListener("abort", abort)
    const goesOn = (other: AbortSignal) => {
      other.addEventListener("abort", abort)
      return work
    }
    return { kind: "left", goesOn }
  } finally {
    call?.ended()
  }
}
