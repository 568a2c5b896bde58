// Reports each turn of a session once, when it has ended: a line of the server's log, and a data point.
import { writeTurn } from "../../observe/data-points.ts"
import { TurnMeter } from "../../observe/turn-meter.ts"
import type { CallFinished } from "../../schemas/log/event-payloads.ts"
import { EventNames } from "../../schemas/log/events.ts"
import type { SessionCore } from "../core.ts"
import { logLine } from "../server-log.ts"
import type { SessionLog } from "../storage/log.ts"

/** Maximum number of requests that are summed for a turn that another process started. */
const MAX_REQUESTS = 10_000

export const turnMeter = ({ context, log, record }: SessionCore): TurnMeter =>
  new TurnMeter({
    tenant: context.tenant,
    sessionId: context.id,
    isPlayback: record.options.runtime?.mode === "playback",
    requestsOf: (turn) => requestsOfTurn(log, turn),
    report: (report) => {
      if (context.env.PERCH_LOG !== "quiet") logLine("info", "turn", { ...report })
      writeTurn(context.env.METRICS, report)
    },
  })

const requestsOfTurn = (log: SessionLog, turn: string): ReadonlyArray<CallFinished> =>
  log
    .read({ after: 0, limit: MAX_REQUESTS, order: "asc", name: EventNames.callFinished, turn })
    .map(({ event }) => event.payload)

/** Starts to measure a run of a turn; returns a function that logs its outcome if PERCH_LOG is `debug`. */
export const outcomeLog = ({ context, id }: SessionCore, turn: string): ((outcome: string) => void) => {
  const startedAt = context.now()
  const { rowsWritten, rowsRead } = context.sql
  return (outcome) => {
    if (context.env.PERCH_LOG !== "debug") return
    logLine("debug", `turn ${outcome}`, {
      session: id,
      turn,
      ms: context.now() - startedAt,
      rows_written: context.sql.rowsWritten - rowsWritten,
      rows_read: context.sql.rowsRead - rowsRead,
      bytes: context.sql.bytes,
      since_start: { written: context.sql.rowsWritten, read: context.sql.rowsRead, requests: context.requests },
    })
  }
}
