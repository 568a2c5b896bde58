// The parent's side of a fork: cuts the session where its last turn ended, and returns the log and the files in pages.
// Invariant: all pages of one cut show one moment, whatever the session does meanwhile; no page is above 4 MiB.
import { release } from "../../net/release.ts"
import type { HeadMoved } from "../../schemas/log/session-events.ts"
import { EventNames } from "../../schemas/log/events.ts"
import type {
  ExportCut,
  ExportedChunk,
  ExportedEvent,
  ExportedEvents,
  ExportedFile,
  ExportedFiles,
  ExportStart,
} from "../../schemas/rpc/fork.ts"
import { Checkpoints, FORK_PREFIX } from "../../workspace/checkpoints/checkpoints.ts"
import { noMessage, seqOfMessage } from "../storage/head.ts"
import { IN_BLOB, type LogRow, WITH_MARKS } from "../storage/log.ts"
import type { Refusal } from "../refusal.ts"
import type { SessionCore } from "../core.ts"

const FORK_PAGE_BYTES = 4 * 1024 * 1024
/** Bytes that an event or a file counts in addition to its text, whose characters count two bytes each. */
const ROW_BYTES = 512
/** Rows that are read at once: few, since each may have half a megabyte. */
const ROWS = 16

export class ForkExport {
  readonly #core: SessionCore

  constructor(core: SessionCore) {
    this.#core = core
  }

  start(at: string | undefined): ExportStart | Refusal {
    const { context, log, meta, record } = this.#core
    const projectSettings = meta.get("project_settings")
    const { cwd, title, metadata, options, permission_updates } = record
    const through = this.#through()
    const head = at === undefined ? null : seqOfMessage(context.sql, log, at)
    if (at !== undefined && (head == null || head > through)) return noMessage(at)
    const place = head == null ? null : this.#places(through)(head)
    const cut = { through, tree: this.#tree() }
    return {
      cut,
      session: { cwd, title, metadata, options, permission_updates },
      head: place,
      ...(projectSettings === undefined ? {} : { project_settings: projectSettings }),
    }
  }

  /** seq of the last event to copy: nothing of an open turn is copied. */
  #through(): number {
    const { context, inbox, log } = this.#core
    const open = inbox.head()
    if (open === undefined) return log.lastSeq
    const begun = context.sql.exec<{ seq: number | null }>(
      "SELECT MIN(seq) AS seq FROM events WHERE seq > ? AND turn = ? AND name <> 'sdk:command_lifecycle'",
      open.seq,
      open.turn,
    )
    const { seq } = begun.one()
    return seq === null ? log.lastSeq : seq - 1
  }

  /** The checkpoint of the open turn's start, or one that is made now. */
  #tree(): string {
    const { context, inbox, workspace } = this.#core
    const open = inbox.head()
    if (open !== undefined && new Checkpoints(context.sql).placeOf(open.turn) !== null) return open.turn
    const tree = `${FORK_PREFIX}${context.newUuid()}`
    workspace.checkpoint(tree)
    return tree
  }

  /** Maps a seq to its seq in the child: prompts without a result at the cut are left out, and later events move up. */
  #places(through: number): (seq: number) => number {
    const left = this.#leftOut(through)
    return (seq) => seq - left.filter((dropped) => dropped <= seq).length
  }

  #leftOut(through: number): ReadonlyArray<number> {
    const turns = this.#openAt(through)
    if (turns.length === 0) return []
    const rows = this.#core.context.sql.exec<{ seq: number }>(
      "SELECT seq FROM events WHERE seq <= ? AND turn IN (SELECT value FROM json_each(?)) ORDER BY seq",
      through,
      JSON.stringify(turns),
    )
    return rows.toArray().map(({ seq }) => seq)
  }

  #openAt(through: number): ReadonlyArray<string> {
    const rows = this.#core.context.sql.exec<{ turn: string }>(
      "SELECT turn FROM inbox WHERE seq <= ? AND (result_seq IS NULL OR result_seq > ?)",
      through,
      through,
    )
    return rows.toArray().map(({ turn }) => turn)
  }

  events({ through }: ExportCut, after: number): ExportedEvents {
    const left = new Set(this.#leftOut(through))
    const placeOf = this.#places(through)
    const events: Array<ExportedEvent> = []
    let room = FORK_PAGE_BYTES
    for (let from = after; ;) {
      const rows = this.#rows(from, through)
      for (const row of rows) {
        const text = this.#textOf(row)
        const size = 2 * (text?.length ?? 0) + ROW_BYTES
        if (size > room && events.length > 0) return { events, next: from }
        from = row.seq
        if (left.has(row.seq)) continue
        room -= size
        events.push(this.#exported(row, text, placeOf))
      }
      if (rows.length < ROWS) return { events, next: null }
    }
  }

  #rows(after: number, through: number): ReadonlyArray<LogRow> {
    const rows = this.#core.context.sql.exec<LogRow>(
      "SELECT * FROM events WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?",
      after,
      through,
      ROWS,
    )
    return rows.toArray()
  }

  /** The payload's JSON, or null when it alone is too large for a page. */
  #textOf(row: LogRow): string | null {
    if ((row.stored & IN_BLOB) === 0) return row.json
    const { blobs } = this.#core.workspace
    if (2 * blobs.sizeOf(row.json) + ROW_BYTES > FORK_PAGE_BYTES) return null
    return new TextDecoder().decode(blobs.getBlob(row.json))
  }

  #exported(row: LogRow, text: string | null, placeOf: (seq: number) => number): ExportedEvent {
    const { name, uuid, turn, parent, at } = row
    const prompt = name === EventNames.turnQueued && turn !== null ? this.#core.inbox.find(turn) : undefined
    return {
      seq: placeOf(row.seq),
      name,
      uuid,
      turn,
      parent_tool_use_id: parent,
      at,
      json: name === EventNames.headMoved && text !== null ? movedUp(text, placeOf) : text,
      blob: text === null ? row.json : null,
      marked: (row.stored & WITH_MARKS) !== 0,
      ...(prompt?.resultSeq == null
        ? {}
        : { prompt: { fingerprint: prompt.fingerprint, result_seq: placeOf(prompt.resultSeq) } }),
    }
  }

  files({ tree }: ExportCut, after: string): ExportedFiles {
    const files: Array<ExportedFile> = []
    let room = FORK_PAGE_BYTES
    for (const file of this.#filesAt(tree)) {
      if (file.path <= after) continue
      room -= 2 * (file.path.length + file.target.length) + ROW_BYTES
      if (room < 0) return { files, next: files.at(-1)?.path ?? null }
      files.push(file)
    }
    return { files, next: null }
  }

  /** Every node as it was at a checkpoint, in the order of their paths. */
  #filesAt(tree: string): ReadonlyArray<ExportedFile> {
    const { context, workspace } = this.#core
    const checkpoints = new Checkpoints(context.sql)
    const place = checkpoints.placeOf(tree)
    if (place === null) throw new Error("a fork asks for files of no checkpoint")
    const nodes = new Map(workspace.nodes.below("/"))
    for (const [path, node] of checkpoints.changedAfter(place)) {
      if (node === null) nodes.delete(path)
      else nodes.set(path, node)
    }
    const files = Array.from(nodes, ([path, { type, mode, mtime, size, hash, target }]) => ({
      path,
      type,
      mode,
      mtime,
      size,
      hash,
      target,
    }))
    return files.toSorted((a, b) => (a.path < b.path ? -1 : 1))
  }

  blobs(hashes: ReadonlyArray<string>, from: number): ReadonlyArray<ExportedChunk> {
    const chunks: Array<ExportedChunk> = []
    let room = FORK_PAGE_BYTES
    let chunk = from
    for (const hash of hashes) {
      for (let last = false; !last; chunk += 1) {
        const found = this.#core.workspace.blobs.chunkOf(hash, chunk)
        room -= found.data.byteLength + ROW_BYTES
        if (room < 0 && chunks.length > 0) {
          // The next page starts with this chunk.
          release(found.data)
          return chunks
        }
        last = found.last
        chunks.push({ hash, ...found })
      }
      chunk = 0
    }
    return chunks
  }
}

const movedUp = (json: string, placeOf: (seq: number) => number): string => {
  // The log wrote this payload.
  const { to_seq: to } = JSON.parse(json) as HeadMoved
  return JSON.stringify({ to_seq: placeOf(to) } satisfies HeadMoved)
}
