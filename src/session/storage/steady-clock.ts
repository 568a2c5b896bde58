// Receives a session; returns the time by which its turns, steps and tool calls measure how long they take.
// Invariant: it never goes back, also when the machine's clock is set back or another machine goes on with the session: nothing
// takes less than no time. What waits for a time of the day, as alarms do, goes by the machine's clock.

interface Timed {
  readonly context: { readonly now: () => number }
  readonly log: { readonly lastAt: number }
}

/** Times are in milliseconds since 1970. The session's log may be opened later. */
export const steadyClock = (session: Timed): (() => number) => {
  let latest = 0
  return () => (latest = Math.max(latest, session.context.now(), session.log.lastAt))
}
