// Receives the title that a hook or a client gives the session; returns or appends the events that announce it.
// Invariant: a title that the session has already is not announced again, unless a client renames the session to it.
import { systemMessage } from "../../agent/messages/sdk-messages.ts"
import { EventNames, type NewEvent } from "../../schemas/log/events.ts"
import type { SessionCore } from "../core.ts"

const MAX_TITLE = 500

export const changeTitle = (
  core: SessionCore,
  turn: string,
  given: string,
): { readonly events: ReadonlyArray<NewEvent>; readonly commit: () => void } => {
  const title = given.slice(0, MAX_TITLE).toWellFormed()
  if (title.trim() === "" || title === core.record.title) return { events: [], commit: () => undefined }
  const stamp = { sessionId: core.id, turn, uuid: core.context.newUuid(), at: core.context.now() }
  return {
    events: [
      { name: EventNames.sessionChanged, payload: { title }, turn },
      systemMessage(stamp, "session_title_changed", { title }),
    ],
    commit: () => core.keepRecord({ ...core.record, title }),
  }
}

/** Sends clients the session's title, outside of a turn. */
export const announceTitle = (core: SessionCore, title: string): void => {
  const stamp = { sessionId: core.id, turn: null, uuid: core.context.newUuid(), at: core.context.now() }
  core.append([systemMessage(stamp, "session_title_changed", { title })])
}
