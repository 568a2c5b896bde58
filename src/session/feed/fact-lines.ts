// Receives events; returns their lines for a feed of facts, which has every event of the log and every ephemeral event.
// Invariant: a line has all that a fold of the log needs; its payload's JSON is not serialized again.
import type { EphemeralEvent } from "../../schemas/log/events.ts"
import { encodeFeedLine } from "../../schemas/log/feed-line.ts"
import { toStoredText } from "../../schemas/log/media-mark.ts"
import type { MovedHead } from "../../views/live/moved-head.ts"
import type { StoredEvent } from "../storage/log.ts"

/** `moved` returns the effect of a `head:moved`. */
export const factLine = ({ event, json }: StoredEvent, moved?: () => MovedHead): string => {
  const { seq, at, turn, name, uuid, parent_tool_use_id: parent } = event
  const head = toStoredText(JSON.stringify({ uuid, parent, ...(moved === undefined ? {} : { moved: moved() }) }))
  return encodeFeedLine({ seq, at, turn, name, json: `${head.slice(0, -1)},"payload":${toStoredText(json)}}` })
}

/** `at` is the time of sending, because a view has no clock. */
export const ephemeralFactLine = ({ name, turn, payload }: EphemeralEvent, at: number): string => {
  const { uuid = "", parent_tool_use_id: parent = null } = payload as Origin
  return encodeFeedLine({ seq: null, at, turn, name, json: JSON.stringify({ uuid, parent, payload }) })
}

/** The fields of SDK messages that a line repeats. */
interface Origin {
  readonly uuid?: string
  readonly parent_tool_use_id?: string | null
}
