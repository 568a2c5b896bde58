// Drafts of prompts, stored per session in the tab's storage, so that a reload does not lose them.
// Invariant: a storage that is full or not available never prevents typing.

export type DraftStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">

const PREFIX = "perch.draft."

const nameOf = (session: string): string => `${PREFIX}${session}`

export const readDraft = (storage: DraftStorage, session: string): string => storage.getItem(nameOf(session)) ?? ""

/** Stores a draft; returns false when the storage did not accept it. */
export const writeDraft = (storage: DraftStorage, session: string, text: string): boolean => {
  if (text === "") {
    storage.removeItem(nameOf(session))
    return true
  }
  try {
    storage.setItem(nameOf(session), text)
    return true
  } catch {
    // The storage is full: the text is only on the page.
    return false
  }
}

/** The names of the storage's items that start with `prefix`. */
export const namesIn = (storage: Pick<Storage, "key" | "length">, prefix: string): ReadonlyArray<string> =>
  Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? "").filter((name) =>
    name.startsWith(prefix),
  )

/** The sessions with drafts: their ids, and the name of the form for a new session. */
export const draftsIn = (storage: Pick<Storage, "key" | "length">): ReadonlyArray<string> =>
  namesIn(storage, PREFIX).map((name) => name.slice(PREFIX.length))

/** The unsent rest of `text` after `sent` was sent: the text that was added at the end, or the whole text if it was changed. */
export const typedAfter = (sent: string, text: string): string => {
  if (text === sent || text.trim() === sent.trim()) return ""
  return text.startsWith(sent) ? text.slice(sent.length).trimStart() : text
}
