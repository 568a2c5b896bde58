// What was typed and not sent, kept for each session in the tab's storage, so that a reload loses nothing.
// Invariant: a storage that is full or refused never stops the typing.

export type DraftStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">

const PREFIX = "perch.draft."

const nameOf = (session: string): string => `${PREFIX}${session}`

export const readDraft = (storage: DraftStorage, session: string): string => storage.getItem(nameOf(session)) ?? ""

/** False when the storage did not take it. */
export const writeDraft = (storage: DraftStorage, session: string, text: string): boolean => {
  if (text === "") {
    storage.removeItem(nameOf(session))
    return true
  }
  try {
    storage.setItem(nameOf(session), text)
    return true
  } catch {
    // Full: the text stays on the page.
    return false
  }
}

/** The names of what a storage keeps, of those that begin so. */
export const namesIn = (storage: Pick<Storage, "key" | "length">, prefix: string): ReadonlyArray<string> =>
  Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? "").filter((name) =>
    name.startsWith(prefix),
  )

/** Where there is a draft: ids of sessions, and the name of the form for a new one. */
export const draftsIn = (storage: Pick<Storage, "key" | "length">): ReadonlyArray<string> =>
  namesIn(storage, PREFIX).map((name) => name.slice(PREFIX.length))

/** What is left of a text when `sent`, as it was before, has been sent: what was added at its end, or all of it when it was changed. */
export const typedAfter = (sent: string, text: string): string => {
  if (text === sent || text.trim() === sent.trim()) return ""
  return text.startsWith(sent) ? text.slice(sent.length).trimStart() : text
}
