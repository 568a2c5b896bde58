// Receives the end of a window and the time; returns whether the window is still open.
// Invariant: a window is open for at most twice its length, also after the clock was set back by hours. It may be ahead by more
// than its length when another machine, whose clock differs, has set its end.

/** `until` and `now` are milliseconds since 1970; `length` is the window's length in milliseconds. */
export const isStillAhead = (until: number, now: number, length: number): boolean =>
  until > now && until <= now + 2 * length
