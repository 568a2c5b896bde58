// What all views with a state share: the events that they read, and how they are folded.
// Invariant: what a view sends for a durable event is a function of the log alone, so that a reader who comes back gets the frames
// that it would have got without a break; what it sends for ephemeral events only anticipates them.
import type { EventName, PayloadOf } from "../../schemas/log/event-payloads.ts"
import type { Frame } from "../sdk.ts"
import type { MovedHead } from "./moved-head.ts"

interface Read<N extends EventName> {
  /** Null of an ephemeral event (`sdk:stream_event`, `sdk:tool_progress` …). */
  readonly seq: number | null
  /** Milliseconds since 1970. */
  readonly at: number
  readonly turn: string | null
  readonly name: N
  readonly uuid: string
  /** The call whose subagent it belongs to. */
  readonly parent: string | null
  readonly payload: PayloadOf<N>
  /** Of `head:moved`: what it did to the conversation. */
  readonly moved?: MovedHead
}

/** An event as a view reads it: of the name `N`, or of any. */
export type ViewEvent<N extends EventName = EventName> = N extends EventName ? Read<N> : never

/** A view with a state. Of several frames that one event means, only the last has an id. */
export interface LiveView {
  /** Folds one event in and returns the frames that it means. */
  apply(event: ViewEvent): ReadonlyArray<Frame>
  /** Sent first on a stream. */
  opened?(): ReadonlyArray<Frame>
  /** Called once, when the replay has caught up with the log: what a reader who joins now must know beside it. */
  joined?(): ReadonlyArray<Frame>
  /** Sent last, when the session was erased. */
  gone?(): ReadonlyArray<Frame>
  /** Sent while nothing happens, in the place of a comment. */
  heartbeat?(): Frame
}

/** Frames of one event without ids, and the same with the event's id at the last of them. */
export const framesOf = (seq: number | null, data: ReadonlyArray<unknown>): ReadonlyArray<Frame> =>
  data.map((one, index) => ({ id: index === data.length - 1 ? seq : null, data: JSON.stringify(one) }))
