// Receives the recorded answers of a session that is opened; cuts those whose process died before the log had their end.
// Invariant: an answer is as long in the recording as in the log.
import { modelAnswerOf } from "../../../recording/model-answer.ts"
import type { Json } from "../../../recording/request-hash.ts"
import { EventNames, type LogEvent } from "../../../schemas/log/events.ts"
import type { SessionLog } from "../../storage/log.ts"
import { answerIdIn, answerOf } from "./answer-ids.ts"
import type { RecordedTable } from "../recorded-table.ts"
import { upTo } from "./streamed-answer.ts"

/** Maximum number of answers that are checked: more than stream at the same time. */
const MAX_ANSWERS = 64
/** Maximum number of events that are checked, from the end of the log. */
const MAX_EVENTS = 2000

/** Cuts each open answer whose end is not in the log, after the last of its blocks that is. */
export const endCutOff = (
  table: Pick<RecordedTable, "openRows" | "change">,
  log: Pick<SessionLog, "read" | "lastSeq">,
): void => {
  const rows = table.openRows(MAX_ANSWERS)
  if (rows.length === 0) return
  const last = (...names: ReadonlyArray<LogEvent["name"]>): ReadonlyArray<LogEvent> => {
    const among = { names, through: Math.max(0, log.lastSeq - MAX_EVENTS) }
    return log.read({ after: 0, limit: MAX_EVENTS, order: "desc", among }).map(({ event }) => event)
  }
  const ends = last(EventNames.callFinished)
  const isEnded = (id: string) =>
    ends.some(({ name, payload }) => name === EventNames.callFinished && payload.message_id === id)
  for (const { n, response } of rows) {
    // A recorder wrote it as JSON.
    const { request_id, events = [] } = modelAnswerOf(JSON.parse(response) as Json)
    const id = answerIdIn(events)
    if (id === undefined || isEnded(id)) continue
    const blocks = last("sdk:assistant", EventNames.messageWithheld).filter((event) => answerOf(event) === id)
    table.change(n, JSON.stringify({ request_id, events: upTo(events, blocks.length), cut: "crashed" }))
  }
}
