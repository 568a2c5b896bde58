// Receives the title that a hook or a client gives the session; returns or appends the events that announce it.
// Invariant: a title that the session has already is not announced again, unless a client renames the session to it.
import { systemMessage } from "../../agent/messages/sdk-messages.ts"
import { EventNames, type NewEvent } from "../../schemas/log/events.ts"
import type { SessionCore } from "../core.ts"
import { keptTitle } from "../record-changes.ts"

export const changeTitle = (
  core: Pick<SessionCore, "context" | "id" | "keepRecord" | "record">,
  turn: string,
  given: string,
): { readonly events: ReadonlyArray<NewEvent>; readonly commit: () => void } => {
  const title = keptTitle(given)
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
export const announceTitle = (core: Pick<SessionCore, "append" | "context" | "id">, title: string): void => {
  const stamp = { sessionId: core.id, turn: null, uuid: core.context.newUuid(), at: core.context.now() }
  core.append([systemMessage(stamp, "session_title_changed", { title })])
}
