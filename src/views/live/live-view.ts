// The interface of stateful views: the events that they read, and the methods that fold them.
// Invariant: the frames of a durable event depend on the log alone, so that a reader who reconnects gets the frames that it would
// have got without the interruption; the frames of ephemeral events only anticipate them.
import type { EventName, PayloadOf } from "../../schemas/log/event-payloads.ts"
import type { Frame } from "../sdk.ts"
import type { MovedHead } from "./moved-head.ts"

interface Read<N extends EventName> {
  /** Null for an ephemeral event (`sdk:stream_event`, `sdk:tool_progress` …). */
  readonly seq: number | null
  /** Milliseconds since 1970. */
  readonly at: number
  readonly turn: string | null
  readonly name: N
  readonly uuid: string
  /** The call that started the subagent to which the event belongs; null for the main thread. */
  readonly parent: string | null
  readonly payload: PayloadOf<N>
  /** For `head:moved`: how the move changed the conversation. */
  readonly moved?: MovedHead
}

/** An event as a view reads it, with the name `N` or any name. */
export type ViewEvent<N extends EventName = EventName> = N extends EventName ? Read<N> : never

/** A stateful view. If one event produces several frames, only the last has an id. */
export interface LiveView {
  /** Folds one event in and returns its frames. */
  apply(event: ViewEvent): ReadonlyArray<Frame>
  /** Sent first on a stream. */
  opened?(): ReadonlyArray<Frame>
  /** Called once, when the replay has caught up with the log; returns frames with state that the replay does not contain. */
  joined?(): ReadonlyArray<Frame>
  /** Returns the last frames of a stream whose session was erased. */
  gone?(): ReadonlyArray<Frame>
  /** Sent while no events occur, instead of an SSE comment. */
  heartbeat?(): Frame
}

/** Returns a frame for each element of `data`; only the last has the event's seq as its id. */
export const framesOf = (seq: number | null, data: ReadonlyArray<unknown>): ReadonlyArray<Frame> =>
  data.map((one, index) => ({ id: index === data.length - 1 ? seq : null, data: JSON.stringify(one) }))
