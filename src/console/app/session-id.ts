// Parses and shortens ids of sessions.

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The id in the API's form, from a text in upper or lower case; null when the text is not an id. */
export const sessionIdOf = (text: string): string | null => {
  const id = text.trim().toLowerCase()
  return UUID.test(id) ? id : null
}

/** The last characters of an id, which distinguish it: ids of the same minute have the same start. */
export const shortId = (id: string): string => id.slice(-6)
