// Sends a request that is safe to repeat to a server on a busy machine; gives up on a dead server, not on a slow one.
// Invariant: a process that has ended, or that is alive and idle, is given up after one attempt; a busy one after the last
// attempt.
import fs from "node:fs"
import { groupMembers } from "../support/server/process/group-members.mjs"

/** The activity of a server's processes at one moment. */
export interface Activity {
  /** Clock ticks (hundredths of a second) of all its processes since they started. */
  readonly ticks: number
  /** Whether one of its threads is running, or waits for a processor. */
  readonly runnable: boolean
}

export interface Patience {
  readonly tryMs: number
  readonly tries: number
  /** Aborts the request, which then rejects. */
  readonly stop?: AbortSignal | undefined
}

/** A little over three minutes in all. */
const PATIENCE = { tryMs: 20_000, tries: 10 }
/** Timers of an idle server use fewer ticks in one attempt. */
const IDLE_TICKS = 5

/**
 * The answer to a request. Rejects when the server ends, is idle for a whole try, or has not answered the last. `look`
 * returns null for a server that has ended.
 */
export const patientRequest = async (
  url: string,
  body: string,
  look: () => Activity | null,
  patience: Partial<Patience> = {},
): Promise<Response> => {
  const { tryMs, tries, stop } = { ...PATIENCE, ...patience }
  for (let tried = 1; ; tried += 1) {
    const before = look()
    const timeout = AbortSignal.timeout(tryMs)
    const signal = stop === undefined ? timeout : AbortSignal.any([timeout, stop])
    const answer = await fetch(url, { method: "POST", body, signal }).catch((error: unknown) => ({ error }))
    if (answer instanceof Response) return answer
    if (stop?.aborted) throw new Error("The answer is not needed any more.")
    const after = look()
    if (before === null || after === null) throw new Error("The server has ended.")
    if (!signal.aborted) throw new Error(`The server refused the connection: ${String(answer.error)}`)
    if (!after.runnable && after.ticks - before.ticks < IDLE_TICKS) {
      throw new Error(`The server lives, but has computed nothing for ${tryMs} ms.`)
    }
    if (tried >= tries)
      throw new Error(`The server is busy and has not answered ${tries} requests of ${tryMs} ms each.`)
  }
}

/** If the system does not show what a process does, it counts as busy. */
const UNKNOWN: Activity = { ticks: 0, runnable: true }

/** The activity of a group's processes so far; null if there are none. */
export const activityOf = (group: number): Activity | null => {
  const members = groupMembers(group)
  if (members.length === 0) return null
  if (!fs.existsSync("/proc/self/stat")) return UNKNOWN
  const threads = members.flatMap(({ pid }) => threadsOf(pid))
  return {
    ticks: threads.reduce((sum, thread) => sum + thread.ticks, 0),
    runnable: threads.some(({ state }) => state === "R"),
  }
}

const threadsOf = (pid: number): ReadonlyArray<{ readonly state: string | undefined; readonly ticks: number }> => {
  try {
    return fs.readdirSync(`/proc/${pid}/task`).map((thread) => {
      const stat = fs.readFileSync(`/proc/${pid}/task/${thread}/stat`, "latin1")
      // After the command in parentheses: the state is field 3, the times are fields 14 and 15.
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
      return { state: fields[0], ticks: Number(fields[11]) + Number(fields[12]) }
    })
  } catch (error) {
    // It ended meanwhile. Only a system call's error has a code.
    const { code } = error as NodeJS.ErrnoException
    if (code === "ENOENT" || code === "ESRCH") return []
    throw error
  }
}
