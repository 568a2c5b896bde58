// Ids of sessions as people write and read them.

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The id as the API takes it, of a text in either case; null when the text is none. */
export const sessionIdOf = (text: string): string | null => {
  const id = text.trim().toLowerCase()
  return UUID.test(id) ? id : null
}

/** The part of an id that distinguishes it from others: those that were made in the same minute begin alike. */
export const shortId = (id: string): string => id.slice(-6)
