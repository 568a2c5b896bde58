// Receives an event from the live stream (`format=signal`); returns it in the form of the log's pages.
import { isPlainObject } from "../../../schemas/plain-object.ts"
import type { RawEvent } from "../past/marks.ts"

/** An event of the log, as a signal. */
export interface StreamedSignal {
  readonly id: string
  readonly name: string
  readonly payload: unknown
  readonly timestamp: string
  readonly source?: { readonly agent?: string; readonly parent?: string }
}

/** Names of events that may start a turn: its id is their uuid, so their signals contain no turn. */
const BEGINNINGS: ReadonlySet<string> = new Set(["turn:queued", "sdk:user"])

export const isSignal = (value: unknown): value is StreamedSignal =>
  isPlainObject(value) && typeof value["id"] === "string" && typeof value["timestamp"] === "string"

/** The event's name of a signal: `sdk:result:success` becomes `sdk:result/success`. */
const eventName = (name: string): string => name.replace(/^(sdk:[^:]*):/, "$1/")

export const eventOfSignal = (seq: number, { id, name, payload, timestamp, source }: StreamedSignal): RawEvent => ({
  seq,
  name: eventName(name),
  uuid: id,
  turn: source?.parent ?? (BEGINNINGS.has(name) ? id : null),
  parent_tool_use_id: source?.agent ?? null,
  at: Date.parse(timestamp),
  payload,
})
