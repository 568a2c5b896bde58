// Receives the events of a session; returns the frames of opencode's event stream for them (`format=parts`).
// Invariant: the frames of a durable event depend on the log alone; the fold is that of the message pages, so a reader who applies
// every frame has the same messages as those pages. Frames of ephemeral events anticipate the log, under the log's own ids.
import type { AskOpened } from "../../schemas/log/ask-events.ts"
import { EventNames, isTurnResult, type LogEvent } from "../../schemas/log/events.ts"
import { logEventOf } from "../live/view-event.ts"
import type { LiveView, ViewEvent } from "../live/live-view.ts"
import type { MovedHead } from "../live/moved-head.ts"
import { foldBase, type SessionBase } from "../live/session-base.ts"
import type { MakeView } from "../live/view-start.ts"
import { PartsProjection } from "../parts/parts.ts"
import type { Frame } from "../sdk.ts"
import { askOpened, askSettled } from "./ask-events.ts"
import { type BusEvent, withIds } from "./bus-event.ts"
import { busSession } from "./bus-session.ts"
import { SessionStatus } from "./session-status.ts"
import { blockEventOf } from "./stream-event.ts"
import { StreamingAnswer } from "./streaming-answer.ts"

export const partsView: MakeView = ({ sessionId, base }) => new PartsView(sessionId, base)

class PartsView implements LiveView {
  readonly #sessionID: string
  readonly #projection: PartsProjection
  readonly #streaming: StreamingAnswer
  readonly #status: SessionStatus
  /** The payloads of the open asks, by request id. */
  readonly #asks: Map<string, AskOpened>
  #base: SessionBase

  constructor(sessionId: string, base: SessionBase) {
    this.#sessionID = sessionId
    this.#base = base
    this.#projection = new PartsProjection(sessionId)
    this.#streaming = new StreamingAnswer(sessionId, this.#projection)
    this.#status = new SessionStatus(sessionId)
    this.#asks = new Map(base.asks.map((ask) => [ask.request_id, ask]))
  }

  apply(event: ViewEvent): ReadonlyArray<Frame> {
    const logged = logEventOf(event)
    if (logged !== null) return [...this.#dropped(logged), ...busFrames(event, this.#durable(event, logged))]
    if (event.name === EventNames.toolPrinted) return busFrames(event, this.#printed(event))
    if (event.name === EventNames.fileChanged) return busFrames(event, this.#filesChanged(event))
    const piece = event.name === "sdk:stream_event" && event.parent === null ? blockEventOf(event.payload.event) : null
    if (piece === null || event.turn === null) return []
    const { turn, at, uuid } = event
    return busFrames(event, this.#streaming.take({ turn, at, uuid, event: piece }))
  }

  opened(): ReadonlyArray<Frame> {
    return busFrames(unlogged(), [{ type: "server.connected", properties: {} }])
  }

  heartbeat(): Frame {
    const [frame] = busFrames(unlogged(), [{ type: "server.heartbeat", properties: {} }])
    return frame!
  }

  /** The status and the open asks: a reader who joins later has missed the events that announced them. */
  joined(): ReadonlyArray<Frame> {
    const asks = [...this.#asks.values()].flatMap((ask) => this.#asked(ask))
    return busFrames(unlogged(), [this.#status.current, ...asks])
  }

  gone(): ReadonlyArray<Frame> {
    const info = busSession(this.#sessionID, this.#base, 0)
    return busFrames(unlogged(), [{ type: "session.deleted", properties: { sessionID: this.#sessionID, info } }])
  }

  /** Drops an answer that is still streaming when its turn ends, as after a crash: no `call:finished` follows for it. */
  #dropped({ name, uuid, at }: LogEvent): ReadonlyArray<Frame> {
    const isOver = name.startsWith("sdk:result/") || name === EventNames.headMoved
    return isOver ? busFrames({ seq: null, at, uuid }, this.#streaming.drop()) : []
  }

  #durable(event: ViewEvent, logged: LogEvent): ReadonlyArray<BusEvent> {
    const { seq, at } = logged
    const lost = logged.name === EventNames.callFinished ? this.#lost(logged) : this.#never(logged)
    const about = this.#session(event)
    const cancelled = this.#cancelledPrompt(logged)
    this.#projection.apply(logged)
    if (logged.name === "sdk:assistant") this.#streaming.stored()
    const changes = event.moved === undefined ? this.#changes(seq, at) : this.#moved(event.moved, at)
    const events = [...about, ...lost, ...cancelled, ...changes, ...this.#ask(logged), ...this.#status.apply(logged)]
    // Final messages need no longer be kept in memory.
    if (isTurnResult(logged) || logged.name === EventNames.callFinished || event.moved !== undefined)
      this.#projection.dropFlushed(seq)
    return events
  }

  /** The part of a running call with its output so far. */
  #printed({ turn, at, payload }: ViewEvent<"tool:printed">): ReadonlyArray<BusEvent> {
    const part = turn === null ? undefined : this.#projection.printingCall(turn, payload.tool_use_id, payload)
    if (part === undefined) return NO_EVENTS
    return [{ type: "message.part.updated", properties: { sessionID: this.#sessionID, part, time: at } }]
  }

  #filesChanged({ payload }: ViewEvent<"file:changed">): ReadonlyArray<BusEvent> {
    return payload.files.map((changed) => ({
      type: "file.watcher.updated",
      properties: { sessionID: this.#sessionID, ...changed },
    }))
  }

  /** Removes the message of a prompt that was cancelled before its turn began. Call it before the event is folded in. */
  #cancelledPrompt({ name, turn }: LogEvent): ReadonlyArray<BusEvent> {
    if (name !== EventNames.turnCancelled || turn === null) return NO_EVENTS
    const messageID = this.#projection.queuedPrompt(turn)
    if (messageID === undefined) return NO_EVENTS
    return [{ type: "message.removed", properties: { sessionID: this.#sessionID, messageID } }]
  }

  /** The messages and parts that the event `seq` has changed. */
  #changes(seq: number, time: number): ReadonlyArray<BusEvent> {
    const sessionID = this.#sessionID
    return this.#projection
      .changedSince(seq)
      .flatMap(({ info, infoSeq, parts }): ReadonlyArray<BusEvent> => [
        ...(infoSeq >= seq ? [{ type: "message.updated", properties: { sessionID, info } } as const] : []),
        ...parts.flatMap(({ part, seq: changed }) =>
          changed >= seq ? [{ type: "message.part.updated", properties: { sessionID, part, time } } as const] : [],
        ),
      ])
  }

  #moved({ removed, changed, removedParts }: MovedHead, time: number): ReadonlyArray<BusEvent> {
    const sessionID = this.#sessionID
    return [
      ...removed.map((messageID) => ({ type: "message.removed", properties: { sessionID, messageID } }) as const),
      ...removedParts.map((ids) => ({ type: "message.part.removed", properties: { sessionID, ...ids } }) as const),
      ...changed.flatMap(({ info, parts }): ReadonlyArray<BusEvent> => [
        { type: "message.updated", properties: { sessionID, info } },
        ...parts.map((part) => ({ type: "message.part.updated", properties: { sessionID, part, time } }) as const),
      ]),
    ]
  }

  /**
   * Removes what readers may have seen of an answer whose request has ended but the log does not contain: the whole answer, or the
   * block in which it was cut off. Sent to all readers, so that the frames do not depend on when a reader joined.
   */
  #lost({ turn, uuid, at, parent_tool_use_id: thread, payload }: LogEvent<"call:finished">): ReadonlyArray<BusEvent> {
    if (turn === null || thread !== null || payload.purpose !== undefined || payload.imported === true) return NO_EVENTS
    this.#streaming.finished()
    const known = this.#projection.answerToCome(turn, { id: payload.message_id, model: payload.model, uuid, at })
    if (known === undefined) return NO_EVENTS
    const ids = { sessionID: this.#sessionID, messageID: known.messageID }
    if (known.opened !== null) return [{ type: "message.removed", properties: ids }]
    if (payload.stop_reason !== null) return NO_EVENTS
    return [{ type: "message.part.removed", properties: { ...ids, partID: known.base(known.stored).id } }]
  }

  /** Removes an answer that was requested but will not be completed (retry, end of the turn): readers may have seen its start. */
  #never({ turn, name, parent_tool_use_id: thread }: LogEvent): ReadonlyArray<BusEvent> {
    if (turn === null || thread !== null) return NO_EVENTS
    if (name !== "sdk:system/api_retry" && !name.startsWith("sdk:result/")) return NO_EVENTS
    const messageID = this.#projection.unanswered(turn)
    if (messageID === undefined) return NO_EVENTS
    return [{ type: "message.removed", properties: { sessionID: this.#sessionID, messageID } }]
  }

  /** The changes of the session itself: its info and its todos. */
  #session(event: ViewEvent): ReadonlyArray<BusEvent> {
    const before = this.#base
    const { moved } = event
    this.#base = moved === undefined ? foldBase(before, event) : { ...before, todos: moved.todos }
    if (this.#base === before && !changesSession(event)) return NO_EVENTS
    const { todos } = this.#base
    const sessionID = this.#sessionID
    const listed: ReadonlyArray<BusEvent> =
      JSON.stringify(todos) === JSON.stringify(before.todos)
        ? NO_EVENTS
        : [{ type: "todo.updated", properties: { sessionID, todos } }]
    const info = busSession(sessionID, this.#base, event.at)
    if (event.name === EventNames.sessionCreated) return [{ type: "session.created", properties: { sessionID, info } }]
    const { time: _, ...known } = busSession(sessionID, before, 0)
    const { time: __, ...now } = info
    if (JSON.stringify(known) === JSON.stringify(now) && !changesSession(event)) return listed
    return [{ type: "session.updated", properties: { sessionID, info } }, ...listed]
  }

  #ask(event: LogEvent): ReadonlyArray<BusEvent> {
    if (event.name === EventNames.askOpened) {
      this.#asks.set(event.payload.request_id, event.payload)
      return this.#asked(event.payload)
    }
    if (event.name !== EventNames.askSettled) return NO_EVENTS
    const ask = this.#asks.get(event.payload.request_id)
    this.#asks.delete(event.payload.request_id)
    return ask === undefined ? NO_EVENTS : [askSettled(this.#sessionID, ask, event.payload)]
  }

  #asked(ask: AskOpened): ReadonlyArray<BusEvent> {
    return [askOpened(this.#sessionID, ask, this.#projection.messageOfCall(ask.tool_use_id))]
  }
}

/**
 * Whether the event changes something of the session that `info` does not contain or contains only with the next turn: its
 * options, its permission mode, or the revert that can be undone.
 */
const changesSession = ({ name, payload }: ViewEvent): boolean =>
  name === EventNames.sessionChanged ||
  name === EventNames.headMoved ||
  (name === "sdk:system/status" && payload.permissionMode !== undefined)

const NO_EVENTS: ReadonlyArray<BusEvent> = []

/** Place of frames that belong to no event of the log: no seq, and, as nothing replays them, the current time and a new uuid. */
const unlogged = () => ({ seq: null, at: Date.now(), uuid: crypto.randomUUID() })

const busFrames = (
  event: Pick<ViewEvent, "seq" | "at" | "uuid">,
  events: ReadonlyArray<BusEvent>,
): ReadonlyArray<Frame> =>
  withIds(event, events).map((frame, index) => ({
    id: index === events.length - 1 ? event.seq : null,
    data: JSON.stringify(frame),
  }))
