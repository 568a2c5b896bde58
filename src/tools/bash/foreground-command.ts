// Receives a Bash call that its turn waits for; returns the script's outcome, or that it continues in the background: because a
// client asked for that, or, as in the official SDK, at its time limit; or that a client stopped it.
// Invariant: the script runs once; after it has moved to the background, the end of its turn no longer stops it.
import { type ForegroundCall, MAX_BACKGROUND_TASKS } from "./background-port.ts"
import type { RunScript } from "./background-command.ts"
import type { TimeLimit } from "./time-limit.ts"
import type { ToolContext } from "../tool.ts"

type Ended<Run extends RunScript> = Awaited<ReturnType<Run>>

/** Why a script continues in the background. */
export type Leaving = "asked" | "time"

/** The ended script, or for one that continues in the background a function that returns its outcome. */
export type ForegroundEnd<Run extends RunScript> =
  | { readonly kind: "ended"; readonly ended: Ended<Run> }
  | { readonly kind: "stopped" }
  | { readonly kind: "left"; readonly why: Leaving; readonly goesOn: (signal: AbortSignal) => Promise<Ended<Run>> }

/** As in the official SDK: a script that begins by waiting has done nothing yet, so it is stopped. */
const BEGINS_WITH_SLEEP = /^(?:\s|#[^\n]*\n)*sleep(?![\w-])/

export const inForeground = async <Run extends RunScript>(
  command: string,
  {
    agentId,
    background,
    enter,
    signal: turn,
    toolUseId,
  }: Pick<ToolContext, "agentId" | "background" | "enter" | "signal" | "toolUseId">,
  run: Run,
  {
    limit,
    signal,
    taskId,
  }: { readonly limit: TimeLimit; readonly signal: AbortSignal } & Pick<ForegroundCall, "taskId">,
): Promise<ForegroundEnd<Run>> => {
  const stop = new AbortController()
  const abort = () => stop.abort()
  const given = AbortSignal.any([signal, turn])
  given.addEventListener("abort", abort)
  // `Ended<Run>` is by definition what `run` resolves with.
  const work = run(stop.signal) as Promise<Ended<Run>>
  const isBusy = () =>
    (background?.running() ?? []).filter(({ agent }) => agent === undefined).length >= MAX_BACKGROUND_TASKS
  const left = Promise.withResolvers<Leaving>()
  const call = enter?.(toolUseId, { isBusy, taskId, canLeave: agentId === undefined })
  void call?.left.then(() => left.resolve("asked"))
  if (call !== undefined && agentId === undefined && !BEGINS_WITH_SLEEP.test(command)) {
    limit.atEnd(() => {
      if (isBusy()) return false
      left.resolve("time")
      return true
    })
  }
  const ended = work.then((value) => ({ kind: "ended" as const, ended: value }))
  const stopped = call?.stopped.then(() => ({ kind: "stopped" as const })) ?? ended
  try {
    const first = await Promise.race([ended, stopped, left.promise.then((why) => ({ kind: "left" as const, why }))])
    if (first.kind === "stopped") abort()
    if (first.kind !== "left") return first
    given.removeEventListener("abort", abort)
    const goesOn = (other: AbortSignal) => {
      other.addEventListener("abort", abort)
      return work
    }
    return { ...first, goesOn }
  } finally {
    limit.atEnd(null)
    call?.ended()
  }
}
