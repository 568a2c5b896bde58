// What is written for a session and is not sent yet. It lives as long as the page, whichever screen or session is shown.
// Invariant: there is one for each session, so a prompt whose files are uploaded while its screen is left is sent once, and a
// file that was attached stays attached.
import { type Signal, signal } from "@preact/signals"
import { type Server, server } from "../app/server.ts"
import { reportUnfinished } from "../app/sign-out/unfinished.ts"
import type { Attachment } from "./attachments.ts"
import { readDraft, writeDraft } from "./drafts.ts"

export interface Unsent {
  readonly text: Signal<string>
  readonly attachments: Signal<ReadonlyArray<Attachment>>
  /** Why it could not be sent. */
  readonly error: Signal<string | null>
  /** While its files are uploaded. */
  readonly isPreparing: Signal<boolean>
  /** Changes the text, here and in the tab's storage. */
  readonly write: (text: string) => void
}

const kept = new WeakMap<Server, Map<string, Unsent>>()

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
  const known = kept.get(of) ?? new Map<string, Unsent>()
  kept.set(of, known)
  const unsent = known.get(session) ?? make(session)
  known.set(session, unsent)
  return unsent
}

/** The attachments of a server's prompts that are not sent. */
const attachedTo = (of: Server) => [...(kept.get(of)?.values() ?? [])].flatMap(({ attachments }) => attachments.peek())

reportUnfinished("files attached to a prompt", () => {
  const current = server.peek()
  return current !== null && attachedTo(current).length > 0
})
