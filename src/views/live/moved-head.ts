// Receives a log up to a `head:moved`; returns how the move changed the conversation, as messages and parts, and the todos.
// Invariant: a reader who has the conversation before the event and applies this has the conversation after it.
import { HeadPath } from "../../schemas/log/head-path.ts"
import type { LogEvent } from "../../schemas/log/events.ts"
import type { Message } from "../../schemas/parts.ts"
import type { TodoEntry } from "../../schemas/api/api.ts"
import { PartsProjection } from "../parts/parts.ts"

export interface MovedHead {
  /** Ids of the messages that the move removed. */
  readonly removed: ReadonlyArray<string>
  /** Messages that the move restored or changed. */
  readonly changed: ReadonlyArray<Message>
  /** Parts that the move removed from changed messages. */
  readonly removedParts: ReadonlyArray<{ readonly messageID: string; readonly partID: string }>
  /** The todos after the move. */
  readonly todos: ReadonlyArray<TodoEntry>
}

/** The latest seq from which a fold may start: all paths have the same events up to there. */
export const sharedPlace = (moves: ReadonlyArray<{ readonly to: number }>): number =>
  Math.min(...moves.map(({ to }) => to))

/** `events` may start wherever a fold of their turns may start; the last one is the move. `moves` are all moves up to it. */
export const movedMessages = (
  sessionId: string,
  events: Iterable<LogEvent>,
  moves: ReadonlyArray<{ readonly seq: number; readonly to: number }>,
): Omit<MovedHead, "todos"> => {
  const paths = [new HeadPath(moves.slice(0, -1)), new HeadPath(moves)] as const
  const folds = [new PartsProjection(sessionId), new PartsProjection(sessionId)] as const
  const last = moves.at(-1)?.seq ?? 0
  for (const event of events) {
    if (event.seq < last && paths[0].has(event.seq)) folds[0].apply(event)
    if (paths[1].has(event.seq)) folds[1].apply(event)
  }
  const before = new Map(folds[0].messages().map((message) => [message.info.id, message]))
  const after = folds[1].messages()
  const ids = new Set(after.map(({ info }) => info.id))
  const changed = after.filter((message) => JSON.stringify(before.get(message.info.id)) !== JSON.stringify(message))
  return {
    removed: [...before.keys()].filter((id) => !ids.has(id)),
    changed,
    removedParts: changed.flatMap(({ info, parts }) => {
      const kept = new Set(parts.map(({ id }) => id))
      const gone = before.get(info.id)?.parts.filter(({ id }) => !kept.has(id)) ?? []
      return gone.map(({ id }) => ({ messageID: info.id, partID: id }))
    }),
  }
}
