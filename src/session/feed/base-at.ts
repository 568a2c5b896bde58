// Receives a session and a position in its log; returns the state that the session had there.
// Invariant: the state is the one that a fold of the log up to there has. A long log is searched only where its facts have
// changed since.
import type { AskOpened } from "../../schemas/log/ask-events.ts"
import type { EventName } from "../../schemas/log/event-payloads.ts"
import { EventNames, type LogEvent } from "../../schemas/log/events.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"
import { maskOptions } from "../../schemas/sdk/options/masked-options.ts"
import { viewEventOf } from "../../views/live/view-event.ts"
import {
  ASK_NAMES,
  EMPTY_BASE,
  foldBase,
  isKept,
  SESSION_NAMES,
  type SessionBase,
  TODO_NAMES,
  todosBefore,
} from "../../views/live/session-base.ts"
import type { SessionCore } from "../core.ts"
import { headPathOf } from "../storage/head.ts"

/** The parts of a session that are read. */
export type BaseSource = Pick<SessionCore, "log" | "inbox" | "record" | "todos" | "askStore">

/** The state of the session right after the event `seq`. */
export const baseAt = (core: BaseSource, seq: number): SessionBase => {
  if (seq === 0) return EMPTY_BASE
  const { log } = core
  const later = new LaterChanges(core.askStore.open.map(({ ask }) => ask))
  for (const { event } of log.all(seq)) later.note(event)
  const { record } = core
  const [init] = log.read({ after: seq + 1, limit: 1, order: "desc", name: "sdk:system/init" })
  const { model, permissionMode, tools } = init?.event.payload ?? {}
  const { title, metadata, options, created_at } = later.isSessionKnown
    ? { ...record, options: maskOptions(record.options), created_at: createdAt(core) }
    : pastBase(core, seq, SESSION_NAMES)
  return {
    seq,
    title,
    metadata,
    options,
    cwd: record.cwd,
    created_at,
    ...(model === undefined ? {} : { model }),
    ...(permissionMode === undefined ? {} : { permissionMode }),
    ...(tools === undefined ? {} : { tools }),
    todos: later.areTasksKnown ? todosBefore(core.todos(), later.oldTodos) : pastBase(core, seq, TODO_NAMES).todos,
    asks: later.asks ?? pastBase(core, seq, ASK_NAMES).asks,
  }
}

/** The time of the event that created the session: its first one or, in a fork, the one that ended the copying. */
const createdAt = ({ log, record }: BaseSource): number => {
  const first = log.at(1)?.event.at ?? record.created_at
  // Copied events are older than the fork.
  return record.created_at <= first ? first : (log.lastNamed(EventNames.sessionForked)?.event.at ?? first)
}

/** Collects which of the session's current facts were different before these events. */
class LaterChanges {
  isSessionKnown = true
  areTasksKnown = true
  /** TodoWrite's list before its first call. */
  oldTodos: unknown
  #asks: ReadonlyArray<AskOpened> | null
  readonly #opened = new Set<string>()

  constructor(asks: ReadonlyArray<AskOpened>) {
    this.#asks = asks
  }

  /** The asks that were open before; null when one of them was settled since. */
  get asks(): ReadonlyArray<AskOpened> | null {
    return this.#asks?.filter(({ request_id: id }) => !this.#opened.has(id)) ?? null
  }

  note(event: LogEvent): void {
    if (event.name === EventNames.sessionChanged || event.name === EventNames.sessionForked) this.isSessionKnown = false
    if (event.name === EventNames.askOpened) this.#opened.add(event.payload.request_id)
    if (event.name === EventNames.askSettled && !this.#opened.has(event.payload.request_id)) this.#asks = null
    if (event.name === EventNames.toolCalled) this.#listed(event.payload.output)
    if (event.name === "sdk:user" && event.parent_tool_use_id === null) this.#listed(event.payload.tool_use_result)
    if (event.name === EventNames.taskChanged || event.name === EventNames.headMoved) this.areTasksKnown = false
    if (event.name === EventNames.conversationRestarted && event.payload.cause === "clear") this.areTasksKnown = false
  }

  #listed(output: unknown): void {
    if (isPlainObject(output) && Array.isArray(output["newTodos"])) this.oldTodos ??= output["oldTodos"]
  }
}

/** The state at `seq`, folded from the events with these names along the head's path at that time. */
export const pastBase = ({ log }: BaseSource, seq: number, names: ReadonlyArray<EventName>): SessionBase => {
  const path = headPathOf(log, seq)
  let base = EMPTY_BASE
  for (const { event } of log.all(0, { among: { names, through: seq } }))
    if (isKept(event.name) || path.has(event.seq)) base = foldBase(base, viewEventOf(event))
  return { ...base, seq }
}
