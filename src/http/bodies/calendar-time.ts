// Receives a day or a moment as ISO 8601 writes it; returns its time.
// Invariant: a day that the calendar does not have (February 30) is none; `Date.parse` takes it for a day of March.

/** Milliseconds since 1970, or NaN. */
export const calendarTime = (text: string): number => {
  const day = text.slice(0, 10)
  const midnight = Date.parse(`${day}T00:00:00Z`)
  return Number.isFinite(midnight) && new Date(midnight).toISOString().startsWith(day) ? Date.parse(text) : Number.NaN
}
