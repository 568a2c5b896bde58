// Receives a session; returns the clock with which the durations of its turns, steps and tool calls are measured.
// Invariant: it never goes back, even if the machine's clock is set back or another machine continues the session, so no duration
// is negative. Alarms and expiries use the machine's clock instead.

interface Timed {
  readonly context: { readonly now: () => number }
  readonly log: { readonly lastAt: number }
}

/** Returns milliseconds since 1970. The session's log may be opened after this call. */
export const steadyClock = (session: Timed): (() => number) => {
  let latest = 0
  return () => (latest = Math.max(latest, session.context.now(), session.log.lastAt))
}
