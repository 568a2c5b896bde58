// The events of opencode's bus that a session can produce, as `format=parts` sends them.
// Invariant: a frame's `id` is a function of its log event and of its position among that event's frames.
import type { ChangedFile } from "../../schemas/log/file-events.ts"
import type { PartFileDiff, MessageError, MessageInfo, Part } from "../../schemas/parts.ts"
import type { TodoEntry } from "../../schemas/api/api.ts"
import type { ViewEvent } from "../live/live-view.ts"
import { partViewId } from "../parts/part-ids.ts"
import type { AskBusEvent, Bus } from "./ask-events.ts"
import type { BusSession } from "./bus-session.ts"

interface OfSession {
  readonly sessionID: string
}

export type BusStatus =
  | { readonly type: "idle" }
  | { readonly type: "busy" }
  /** `next` is the time of the next attempt, in milliseconds since 1970. */
  | { readonly type: "retry"; readonly attempt: number; readonly message: string; readonly next: number }

export type BusEvent =
  | Bus<"server.connected", Readonly<Record<string, never>>>
  | Bus<"server.heartbeat", Readonly<Record<string, never>>>
  | Bus<"session.created" | "session.updated" | "session.deleted", OfSession & { readonly info: BusSession }>
  | Bus<"session.status", OfSession & { readonly status: BusStatus }>
  | Bus<"session.idle" | "session.compacted", OfSession>
  | Bus<"session.error", OfSession & { readonly error: MessageError }>
  | Bus<"file.watcher.updated", OfSession & ChangedFile>
  | Bus<"session.diff", OfSession & { readonly diff: ReadonlyArray<PartFileDiff> }>
  | Bus<"message.updated", OfSession & { readonly info: MessageInfo }>
  | Bus<"message.removed", OfSession & { readonly messageID: string }>
  | Bus<"message.part.updated", OfSession & { readonly part: Part; readonly time: number }>
  | Bus<"message.part.removed", OfSession & { readonly messageID: string; readonly partID: string }>
  | Bus<
      "message.part.delta",
      OfSession & {
        readonly messageID: string
        readonly partID: string
        readonly field: "text" | "state.raw"
        readonly delta: string
      }
    >
  | Bus<"todo.updated", OfSession & { readonly todos: ReadonlyArray<TodoEntry> }>
  | AskBusEvent

/** The data of a frame. */
export type BusFrame = BusEvent & { readonly id: string }

/** The bus events that one log event produces, each with its id. */
export const withIds = (
  { seq, at, uuid }: Pick<ViewEvent, "seq" | "at" | "uuid">,
  events: ReadonlyArray<BusEvent>,
): ReadonlyArray<BusFrame> =>
  events.map((event, index) => ({ id: partViewId("evt", { seq: seq ?? 0, at, uuid }, index), ...event }))
