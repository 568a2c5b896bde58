// The requests under which a recording stores exchanges that are no requests of their own: asks, registrations, lost calls
// and definitions.
import { jsonOf } from "../../recording/forms.ts"
import type { Json } from "../../recording/request-hash.ts"
import { sha256 } from "../../schemas/sha256.ts"
import type { AskOpened } from "../../schemas/log/ask-events.ts"

/** An ask without its ids and times. */
export const askRequest = (ask: AskOpened): Json => {
  const {
    request_id: _,
    expires_at: _at,
    agent_id: _agent,
    place: _place,
    detached: _detached,
    approval: _approval,
    ...rest
  } = ask
  return jsonOf(rest)
}

/** A client registered its hooks and servers: the n-th answer is its n-th registration. */
export const REGISTRATION: Json = { client: "registration" }

/** A call with outside effects whose result was lost in a crash: the n-th answer names the n-th of them. */
export const LOST_CALL: Json = { lost: "call" }

/** The tenant's stored definitions: the n-th answer has those that were loaded the n-th time, without secrets. */
export const DEFINITIONS: Json = { stored: "definitions" }

/** The id of what a call starts, such as a background task. It is the same in a playback, because the model may name it. */
export const idOfCall = (toolUseId: string): string => sha256(toolUseId).slice(0, 32)
