// The projection of a session's log in memory: read from the checkpoint and the events after it, or from the whole log, and
// kept while the object lives and its isolate has room.
// Invariant: it equals a fold of the whole log, whatever it was read from.
import { SessionMemory } from "../../agent/transcript/projection.ts"
import { type Checkpoint, FoldCheckpoint } from "./fold-checkpoint.ts"
import { HeadPath } from "../../schemas/log/head-path.ts"
import { headMovesOf, headPathOf } from "./head.ts"
import { type IsolateMemory, isolateMemory } from "./isolate-memory.ts"
import type { LogDeps, SessionLog, StoredEvent } from "./log.ts"
import { logLine } from "../server-log.ts"
import { agentsOf } from "./thread.ts"

/** A checkpoint is stored when this many events were written since the last one. */
const CHECKPOINT_EVENTS = 256

/** Between turns that follow one another without a pause: when this many times as many were written. */
const LATE = 4

export interface FoldSettings {
  /** Events from one checkpoint to the next. */
  readonly every?: number
  readonly isolate?: IsolateMemory
}

export class SessionFold {
  readonly #log: SessionLog
  readonly #cwd: () => string
  readonly #checkpoint: FoldCheckpoint
  readonly #every: number
  readonly #isolate: IsolateMemory
  #memory: SessionMemory | null = null
  /** The last event of the stored checkpoint; 0 without one. */
  #checkpointSeq = 0

  constructor(
    log: SessionLog,
    { sql, transactionSync }: Pick<LogDeps, "sql" | "transactionSync">,
    cwd: () => string,
    { every = CHECKPOINT_EVENTS, isolate = isolateMemory }: FoldSettings = {},
  ) {
    this.#log = log
    this.#cwd = cwd
    this.#checkpoint = new FoldCheckpoint(sql, transactionSync)
    this.#every = every
    this.#isolate = isolate
  }

  /** The projection if it is in memory. */
  get held(): SessionMemory | null {
    return this.#memory
  }

  /** Approximate bytes of memory that it takes. */
  get size(): number {
    return this.#memory?.size ?? 0
  }

  get memory(): SessionMemory {
    return (this.#memory ??= this.#read())
  }

  #read(): SessionMemory {
    const stored = this.#checkpoint.read()
    const path = stored === undefined ? null : this.#pathBehind(stored)
    this.#checkpointSeq = path === null ? 0 : (stored?.seq ?? 0)
    const memory = new SessionMemory(
      this.#cwd(),
      agentsOf(this.#log),
      path === null || stored === undefined ? undefined : stored,
    )
    if (path !== null) this.#checkpoint.continueFrom(memory)
    const head = path ?? headPathOf(this.#log)
    for (const { event, json } of this.#log.all(this.#checkpointSeq))
      memory.apply(event, json.length, head.has(event.seq))
    return memory
  }

  /** The head's path after the checkpoint; null when the head is at a place before it. */
  #pathBehind({ seq }: Checkpoint): HeadPath | null {
    if (seq > this.#log.lastSeq) return null
    const path = new HeadPath(headMovesOf(this.#log, seq))
    return path.continues(seq) ? path : null
  }

  /** Folds an event that is being written, if the projection is in memory. */
  apply({ event, json }: StoredEvent): void {
    this.#memory?.apply(event, json.length)
  }

  /** Drops the projection; it is read again when it is needed. */
  drop(): void {
    this.#memory = null
    this.#isolate.use(this)
  }

  /** Call it when a turn runs: the projection stays in memory. */
  use(): void {
    this.#isolate.use(this)
  }

  /** Call it when nothing runs: stores a checkpoint if the last one is far behind, and lets the isolate drop the projection. */
  rest(): void {
    if (this.#memory === null) return
    if (this.#log.lastSeq - this.#checkpointSeq >= this.#every) this.#store(this.#memory, this.#log.lastSeq)
    this.#isolate.rest(this)
  }

  /** Call it when a turn has ended and the next may follow at once: stores a checkpoint if the last one is very far behind. */
  pause(): void {
    if (this.#memory !== null && this.#log.lastSeq - this.#checkpointSeq >= this.#every * LATE)
      this.#store(this.#memory, this.#log.lastSeq)
  }

  #store(memory: SessionMemory, seq: number): void {
    try {
      if (this.#checkpoint.write(memory, seq)) this.#checkpointSeq = seq
    } catch (error) {
      // The disk may be full: the session continues without, and tries again after as many events.
      this.#checkpointSeq = seq
      logLine("warn", "a session's checkpoint could not be stored", { error })
    }
  }
}
