// Receives a `head:moved` of the log; returns what it did to the conversation, for views that keep no past turns.
import { EventNames, type LogEvent } from "../../schemas/log/events.ts"
import { type MovedHead, movedMessages, sharedPlace } from "../../views/live/moved-head.ts"
import { TODO_NAMES } from "../../views/live/session-base.ts"
import { headMovesOf } from "../storage/head.ts"
import { type BaseSource, pastBase } from "./base-at.ts"
import { factsStart } from "./base-line.ts"

/** What a `head:moved` did to the conversation, computed on demand and once; undefined for any other event. */
export const movedBy = (core: BaseSource, { seq, name }: LogEvent): (() => MovedHead) | undefined => {
  if (name !== EventNames.headMoved) return undefined
  let moved: MovedHead | undefined
  return () => (moved ??= movedAt(core, seq))
}

const movedAt = (core: BaseSource, seq: number): MovedHead => {
  const moves = headMovesOf(core.log).filter((move) => move.seq <= seq)
  const start = factsStart(core, sharedPlace(moves))
  const messages = movedMessages(core.record.id, eventsThrough(core, start, seq), moves)
  return { ...messages, todos: pastBase(core, seq, TODO_NAMES).todos }
}

function* eventsThrough({ log }: BaseSource, after: number, through: number): Generator<LogEvent> {
  for (const { event } of log.all(after)) {
    if (event.seq > through) return
    yield event
  }
}
