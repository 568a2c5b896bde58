// The name of a session: its title, else its first prompt, else the distinctive end of its id.
// Invariant: characters that are invisible or reverse the direction of a text are shown by their code points.
import type { Session } from "../../client/api/session-shapes.ts"
import { shorten } from "../kit/text/cut-text.ts"
import { visibleText } from "../kit/text/visible-text.ts"
import type { Conversation } from "../store/conversation.ts"
import { shortId } from "./session-id.ts"

const MAX_CHARACTERS = 80

const firstLine = (text: string): string => visibleText(shorten(text.trim().split("\n")[0] ?? "", MAX_CHARACTERS))

/** The parts of a session's store that contain its beginning. */
interface Read {
  readonly session: { readonly value: Pick<Session, "id" | "title" | "first_prompt"> | null }
  readonly conversation: Conversation
  /** Null when no older messages exist. */
  readonly olderCursor: { readonly value: string | null }
}

export const sessionTitle = ({ id, title, first_prompt }: Pick<Session, "id" | "title" | "first_prompt">): string =>
  [visibleText(title ?? ""), firstLine(first_prompt ?? "")].find((text) => text.trim() !== "") ??
  `Untitled ${shortId(id)}`

/** The first line of the first prompt; empty if there is none, or if the beginning of the conversation is not loaded. */
export const firstPrompt = ({ conversation, olderCursor }: Omit<Read, "session">): string => {
  if (olderCursor.value !== null) return ""
  for (const id of conversation.ids.value) {
    const message = conversation.message(id)
    if (message?.info.value.role !== "user") continue
    const texts = message.parts.value.flatMap((part) => conversation.part(part)?.value ?? [])
    const { text } = texts.find(({ type, synthetic }) => type === "text" && synthetic !== true) ?? {}
    if (text !== undefined && text.trim() !== "") return firstLine(text)
  }
  return ""
}

/** The title of the session that is shown, whose first prompt may be loaded before the session is read again. */
export const shownTitle = (store: Read): string => {
  const { value: session } = store.session
  if (session?.title != null && session.title.trim() !== "") return sessionTitle(session)
  return firstPrompt(store) || (session === null ? "Session" : sessionTitle(session))
}
