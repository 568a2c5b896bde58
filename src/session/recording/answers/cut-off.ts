// Receives the recorded answers of a session that is opened; cuts those whose process died before the log had their end.
// Invariant: an answer is as long in the recording as in the log.
import { modelAnswerOf } from "../../../recording/model-answer.ts"
import type { Json } from "../../../recording/request-hash.ts"
import { EventNames, type LogEvent } from "../../../schemas/log/events.ts"
import type { SessionLog } from "../../storage/log.ts"
import { answerIdIn, answerOf } from "./answer-ids.ts"
import type { RecordedTable } from "../recorded-table.ts"
import { upTo } from "./streamed-answer.ts"

/** Answers that are looked at: those that streamed beside one another, and more. */
const MOST_ANSWERS = 64
/** Events that are looked at, from the end. */
const MOST_EVENTS = 2000

/** An answer of which the log has a block, and not the end. */
export const endCutOff = (
  table: Pick<RecordedTable, "openRows" | "change">,
  log: Pick<SessionLog, "read" | "lastSeq">,
): void => {
  const rows = table.openRows(MOST_ANSWERS)
  if (rows.length === 0) return
  const last = (...names: ReadonlyArray<LogEvent["name"]>): ReadonlyArray<LogEvent> => {
    const among = { names, through: Math.max(0, log.lastSeq - MOST_EVENTS) }
    return log.read({ after: 0, limit: MOST_EVENTS, order: "desc", among }).map(({ event }) => event)
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
