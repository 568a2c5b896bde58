// Receives a part of a URL as it was sent; returns whether its escapes are valid UTF-8.
// Invariant: a text that is not does not name one file or value, so it is refused instead of read as it is.

export const isPercentEncoded = (text: string): boolean => {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}
