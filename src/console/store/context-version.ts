// Receives a session; returns a text that changes whenever the content of its context window may have changed.
import type { Session } from "../../client/api/session-shapes.ts"

/** Of a turn, another model (whose tokens and window differ), and a revert or its undoing. Null without a session. */
export const contextVersion = (session: Session | null): string | null =>
  session === null ? null : JSON.stringify([session.turns, session.model, session.revert])
