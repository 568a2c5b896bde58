// What a session asks of the outside, as its recording names it, where the request itself has no such form.
import { jsonOf } from "../../recording/forms.ts"
import { type Json, sha256 } from "../../recording/request-hash.ts"
import type { AskOpened } from "../../schemas/log/ask-events.ts"

/** Without its ids and times. */
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

/** A call with outside effects whose result a crash took: the n-th answer names the n-th of them. */
export const LOST_CALL: Json = { lost: "call" }

/** What the tenant has stored for its sessions: the n-th answer is the n-th that was loaded, without secrets. */
export const DEFINITIONS: Json = { stored: "definitions" }

/** What a call begins has the same id when it is played again: the model may name it. */
export const idOfCall = (toolUseId: string): string => sha256(toolUseId).slice(0, 32)
