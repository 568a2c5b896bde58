// Receives a date or a time in ISO 8601; returns it as a timestamp.
// Invariant: a date that does not exist (February 30) is refused; `Date.parse` would turn it into a date in March.

/** Milliseconds since 1970, or NaN. */
export const calendarTime = (text: string): number => {
  const day = text.slice(0, 10)
  const midnight = Date.parse(`${day}T00:00:00Z`)
  return Number.isFinite(midnight) && new Date(midnight).toISOString().startsWith(day) ? Date.parse(text) : Number.NaN
}
