// What a session holds of its log: read from the checkpoint and the events behind it, or from the whole log, and kept
// while the object lives and its isolate has room.
// Invariant: it is what a fold of the whole log gives, whatever it was read from.
import { SessionMemory } from "../../agent/transcript/projection.ts"
import { type Checkpoint, FoldCheckpoint } from "./fold-checkpoint.ts"
import { HeadPath } from "../../schemas/log/head-path.ts"
import { headMovesOf, headPathOf } from "./head.ts"
import { type IsolateMemory, isolateMemory } from "./isolate-memory.ts"
import type { LogDeps, SessionLog, StoredEvent } from "./log.ts"
import { logLine } from "../server-log.ts"
import { threadOf } from "./thread.ts"

/** A checkpoint is stored when so many events have come since the last one. */
const CHECKPOINT_EVENTS = 256

/** Where turns follow one another without a pause: when so many times as many have come. */
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
  /** The last event of the checkpoint that the memory goes on from; 0 without one. */
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

  /** What is held now, if anything is. */
  get held(): SessionMemory | null {
    return this.#memory
  }

  /** Bytes of memory that it takes, about. */
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
      (...of) => threadOf(this.#log, ...of),
      path === null || stored === undefined ? undefined : stored,
    )
    if (path !== null) this.#checkpoint.goesOnWith(memory)
    const head = path ?? headPathOf(this.#log)
    for (const { event, json } of this.#log.all(this.#checkpointSeq))
      memory.apply(event, json.length, head.has(event.seq))
    return memory
  }

  /** The head's path as far as it lies behind the checkpoint; null when the head was moved to a place before it. */
  #pathBehind({ seq }: Checkpoint): HeadPath | null {
    if (seq > this.#log.lastSeq) return null
    const moves = headMovesOf(this.#log, seq)
    return moves.every(({ to }) => to >= seq) ? new HeadPath(moves) : null
  }

  /** Folds an event in that was just written, if the memory is held. */
  apply({ event, json }: StoredEvent): void {
    this.#memory?.apply(event, json.length)
  }

  /** The memory is read again when it is needed. */
  drop(): void {
    this.#memory = null
    this.#isolate.use(this)
  }

  /** A turn runs: the memory is needed. */
  use(): void {
    this.#isolate.use(this)
  }

  /** Nothing runs: stores a checkpoint when the last one lies far behind, and shares the isolate's memory with others. */
  rest(): void {
    if (this.#memory === null) return
    if (this.#log.lastSeq - this.#checkpointSeq >= this.#every) this.#store(this.#memory, this.#log.lastSeq)
    this.#isolate.rest(this)
  }

  /** A turn has ended, and the next may follow at once: stores a checkpoint when the last one lies very far behind. */
  pause(): void {
    if (this.#memory !== null && this.#log.lastSeq - this.#checkpointSeq >= this.#every * LATE)
      this.#store(this.#memory, this.#log.lastSeq)
  }

  #store(memory: SessionMemory, seq: number): void {
    try {
      if (this.#checkpoint.write(memory, seq)) this.#checkpointSeq = seq
    } catch (error) {
      // The disk may be full: the session goes on without, and tries again when as many events have come.
      this.#checkpointSeq = seq
      logLine("warn", "a session's checkpoint could not be stored", { error })
    }
  }
}
