// A session's state as a badge: a shape and a text, so that it does not depend on colour.
import type { SessionState } from "../../client/api/session-shapes.ts"

const TEXT: Readonly<Record<SessionState, string>> = {
  idle: "idle",
  running: "running",
  requires_action: "needs you",
}

export const StateBadge = ({ state }: { readonly state: SessionState }) => (
  <span class={`badge state-${state}`}>{TEXT[state]}</span>
)
