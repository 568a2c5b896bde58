// The unsent prompt of a session. It is kept as long as the page is open, whichever screen or session is shown.
// Invariant: there is one per session, so a prompt is sent once even if its screen is left during an upload, and attached files
// stay attached.
import { type Signal, signal } from "@preact/signals"
import { type Server, server } from "../app/server.ts"
import { reportUnfinished } from "../app/sign-out/unfinished.ts"
import type { Attachment } from "./attachments.ts"
import { readDraft, writeDraft } from "./drafts.ts"

export interface Unsent {
  readonly text: Signal<string>
  readonly attachments: Signal<ReadonlyArray<Attachment>>
  /** The reason why it could not be sent; null otherwise. */
  readonly error: Signal<string | null>
  /** True while its files are being uploaded. */
  readonly isPreparing: Signal<boolean>
  /** Changes the text, here and in the tab's storage. */
  readonly write: (text: string) => void
}

/** By the session's id. */
type UnsentBySession = Map<string, Unsent>

const unsentPrompts = new WeakMap<Server, UnsentBySession>()

const make = (session: string): Unsent => {
  const text = signal(readDraft(sessionStorage, session))
  return {
    text,
    attachments: signal([]),
    error: signal(null),
    isPreparing: signal(false),
    write: (next) => {
      text.value = next
      writeDraft(sessionStorage, session, next)
    },
  }
}

export const unsentOf = (of: Server, session: string): Unsent => {
  const bySession: UnsentBySession = unsentPrompts.get(of) ?? new Map()
  unsentPrompts.set(of, bySession)
  const unsent = bySession.get(session) ?? make(session)
  bySession.set(session, unsent)
  return unsent
}

/** The attachments of all unsent prompts of a server. */
const attachedTo = (of: Server) =>
  [...(unsentPrompts.get(of)?.values() ?? [])].flatMap(({ attachments }) => attachments.peek())

reportUnfinished("files attached to a prompt", () => {
  const current = server.peek()
  return current !== null && attachedTo(current).length > 0
})
