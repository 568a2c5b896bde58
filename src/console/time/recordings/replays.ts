// The replays that this page has started: each runs on the server in its own session, and is compared when it has ended.
// Invariant: reports outlive the recordings screen, so that a person can watch a replay's session and then return to its report.
import { signal } from "@preact/signals"
import { PerchError } from "../../../client/api/perch-error.ts"
import { type Transport, wait } from "../../../client/api/transport.ts"
import { recordingPath, type ReplayReport } from "./shapes.ts"

const reports = signal<ReadonlyMap<string, ReplayReport>>(new Map())

const PAUSE_MS = 300
const MAX_PAUSE_MS = 3000
/** Timeout of the request; the server waits just as long for the turns of a replay. */
const TIMEOUT_MS = 11 * 60_000

/** The last replay of a recording. */
export const replayOf = (recording: string): ReplayReport | undefined => reports.value.get(recording)

const keep = (report: ReplayReport): void => {
  reports.value = new Map(reports.value).set(report.recording_id, report)
}

/** Starts a replay and polls its report; resolves when the replay has ended. */
export const replayed = async (transport: Pick<Transport, "json">, recording: string): Promise<void> => {
  const headers = { prefer: "respond-async" }
  const options = { json: {}, headers, repeat: "once", timeoutMs: TIMEOUT_MS } as const
  let report = await transport.json<ReplayReport>("POST", recordingPath(recording, "/replay"), options)
  keep(report)
  const path = recordingPath(recording, `/replays/${report.session_id}`)
  const never = new AbortController().signal
  for (let pause = PAUSE_MS; report.status === "running"; pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
    await wait(pause, never)
    try {
      report = await transport.json<ReplayReport>("GET", path)
    } catch (error) {
      // The replay runs on the server: without a network, only its reports are missing.
      if (!(error instanceof PerchError && error.retryable)) throw error
    }
    keep(report)
  }
}
