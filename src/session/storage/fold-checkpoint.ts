// The stored projection of a moment between two turns, so that an object that starts reads only later events, and not the
// whole log.
// Invariant: with the events after it, it equals a fold of the whole log. It can be lost: then the whole log is folded.
import type { SavedMemory, SessionMemory } from "../../agent/transcript/projection.ts"
import type { HeldMessages } from "../../model/conversation-cache/held-messages.ts"
import { BYTES_PER_PAGE } from "../../model/conversation-cache/byte-pages.ts"
import { fromStoredText, toStoredText } from "../../schemas/log/media-mark.ts"
import type { Sql } from "./tables.ts"

/**
 * Raise it when the same log folds to something else, or the stored shape changes: checkpoints of other versions are not
 * read.
 */
const FOLD_VERSION = 4

/** Bytes in one row; a row of SQLite has at most 2 MB. */
const ROW_BYTES = 1024 * 1024

export interface Checkpoint {
  /** The last event that is folded in. */
  readonly seq: number
  readonly memory: SavedMemory
  /** Pages of the transcript's messages as JSON. */
  readonly pages: ReadonlyArray<Uint8Array>
}

interface State {
  readonly version: number
  readonly seq: number
  readonly pages: number
  readonly memory: SavedMemory
}

type Row = { part: number; bytes: ArrayBuffer }

/** The table of the checkpoint. A backup leaves it out. */
export const FOLDS = "folds"
const TABLE =
  "CREATE TABLE IF NOT EXISTS folds (kind TEXT, part INTEGER, bytes BLOB NOT NULL, PRIMARY KEY (kind, part)) WITHOUT ROWID"
const STATE = "state"
const PAGES = "pages"

const encoder = new TextEncoder()
const decoder = new TextDecoder()

export class FoldCheckpoint {
  readonly #sql: Sql
  readonly #transactionSync: <A>(run: () => A) => A
  /** What this process knows to be stored: pages of these messages up to `length` bytes, and `states` rows of state. */
  #stored: { readonly held: HeldMessages; readonly length: number; readonly states: number } | null = null

  constructor(sql: Sql, transactionSync: <A>(run: () => A) => A) {
    this.#sql = sql
    this.#transactionSync = transactionSync
  }

  /** The stored checkpoint, if this version wrote it. */
  read(): Checkpoint | undefined {
    if (!this.#exists()) return undefined
    const parts = this.#parts(STATE)
    if (parts.length === 0) return undefined
    // Only the version is read of a state that another version wrote.
    const state = JSON.parse(fromStoredText(decoder.decode(Buffer.concat(parts)))) as State
    if (state.version !== FOLD_VERSION) return undefined
    const pages = this.#parts(PAGES)
    return pages.length === state.pages ? { seq: state.seq, memory: state.memory, pages } : undefined
  }

  /** Stores the memory as it is after the event `seq`. False when it can't be stored now: a turn or an agent runs. */
  write(memory: SessionMemory, seq: number): boolean {
    const saved = memory.save()
    if (saved === null) return false
    const { held } = memory.transcript
    const known = this.#stored?.held === held ? this.#stored : null
    // Pages that were full before have not changed.
    const first = known === null ? 0 : Math.floor(known.length / BYTES_PER_PAGE)
    const pages = held.pages(first)
    const state: State = { version: FOLD_VERSION, seq, pages: first + pages.length, memory: saved }
    const states = piecesOf(encoder.encode(toStoredText(JSON.stringify(state))))
    this.#transactionSync(() => {
      if (known === null) {
        this.#sql.exec(TABLE)
        this.#sql.exec("DELETE FROM folds")
      } else if (states.length < known.states)
        this.#sql.exec("DELETE FROM folds WHERE kind = ? AND part >= ?", STATE, states.length)
      for (const [part, bytes] of states.entries()) this.#put(STATE, part, bytes)
      for (const [index, bytes] of pages.entries()) this.#put(PAGES, first + index, bytes)
    })
    this.#stored = { held, length: held.length, states: states.length }
    return true
  }

  /** Call it when this memory was read from the stored checkpoint. */
  continueFrom({ transcript: { held } }: SessionMemory): void {
    this.#stored = { held, length: held.length, states: ROW_BYTES }
  }

  #exists(): boolean {
    return this.#sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'folds'").toArray().length > 0
  }

  #put(kind: string, part: number, bytes: Uint8Array): void {
    this.#sql.exec(
      "INSERT OR REPLACE INTO folds (kind, part, bytes) VALUES (?, ?, ?)",
      kind,
      part,
      bytes.slice().buffer,
    )
  }

  #parts(kind: string): ReadonlyArray<Uint8Array> {
    const rows = this.#sql.exec<Row>("SELECT part, bytes FROM folds WHERE kind = ? ORDER BY part", kind)
    return rows.toArray().map(({ bytes }) => new Uint8Array(bytes))
  }
}

const piecesOf = (bytes: Uint8Array): ReadonlyArray<Uint8Array> => {
  const pieces: Array<Uint8Array> = []
  for (let from = 0; from < bytes.length; from += ROW_BYTES) pieces.push(bytes.subarray(from, from + ROW_BYTES))
  return pieces
}
