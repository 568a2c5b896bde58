// Content-addressed bytes in SQLite: receives bytes, returns their SHA-256; receives the hash, returns the bytes.
// Invariant: a blob is written once and never changed; the empty blob has the hash "" and no row.
import { createHash } from "node:crypto"
import { release } from "../net/release.ts"
import { joinBytes } from "../net/join-bytes.ts"

/** The bytes of a blob in one row: a row of SQLite in a Durable Object may have at most 2 MB. */
const CHUNK_BYTES = 1_500_000

export const BLOB_MIGRATIONS: ReadonlyArray<string> = [
  `CREATE TABLE IF NOT EXISTS blobs (
    hash TEXT NOT NULL, chunk INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY (hash, chunk)
  ) WITHOUT ROWID`,
]

export class Blobs {
  readonly #sql: Pick<SqlStorage, "exec">

  constructor(sql: Pick<SqlStorage, "exec">) {
    this.#sql = sql
  }

  /**
   * Stores bytes that nothing refers to yet. Call `keep` once something does, or `drop` to remove those that were new and
   * that no other caller has stored meanwhile. Blobs that stay because the process died in between are harmless.
   */
  stage(): { readonly put: (bytes: Uint8Array) => string; readonly keep: () => void; readonly drop: () => void } {
    const staged = stagedOf(this.#sql)
    const own = new Set<string>()
    const settle = (hash: string, remove: boolean) => {
      if (staged.delete(hash) && remove) this.#sql.exec("DELETE FROM blobs WHERE hash = ?", hash)
    }
    return {
      put: (bytes) => {
        const hash = contentHash(bytes)
        if (own.has(hash) && staged.has(hash)) return hash
        const wasStored = this.hasBlob(hash)
        this.putBlob(bytes)
        if (wasStored) return hash
        own.add(hash)
        staged.add(hash)
        return hash
      },
      keep: () => own.forEach((hash) => settle(hash, false)),
      drop: () => own.forEach((hash) => settle(hash, true)),
    }
  }

  /** Stores bytes once; costs one row per 1.5 MB, none when they are already there. */
  putBlob(bytes: Uint8Array): string {
    const hash = contentHash(bytes)
    // The caller may refer to the blob from now on, so a stage must not remove it any more.
    stagedOf(this.#sql).delete(hash)
    if (this.hasBlob(hash)) return hash
    for (let chunk = 0; chunk * CHUNK_BYTES < bytes.length; chunk += 1) {
      this.#insert(hash, chunk, bytes.subarray(chunk * CHUNK_BYTES, (chunk + 1) * CHUNK_BYTES))
    }
    return hash
  }

  #insert(hash: string, chunk: number, data: Uint8Array): void {
    // SQLite would store the whole buffer, so a view of a larger one is copied first.
    const all = data.byteLength === data.buffer.byteLength ? data : new Uint8Array(data)
    this.#sql.exec("INSERT INTO blobs (hash, chunk, data) VALUES (?, ?, ?)", hash, chunk, all.buffer)
    if (all !== data) release(all)
  }

  /**
   * Stores the chunks of a blob from another session, in order; only one chunk is in memory at a time. Call `end` after
   * the last chunk: it throws when the chunks do not have that hash.
   */
  writer(hash: string): { readonly add: (data: Uint8Array) => void; readonly end: () => void } {
    const digest = createHash("sha256")
    let chunk = 0
    return {
      add: (data) => {
        digest.update(data)
        this.#insert(hash, chunk, data)
        chunk += 1
      },
      end: () => {
        if (digest.digest("hex") !== hash) throw new Error("content of another session does not have its hash")
      },
    }
  }

  hasBlob(hash: string): boolean {
    return hash === "" || this.#sql.exec("SELECT 1 FROM blobs WHERE hash = ? AND chunk = 0", hash).toArray().length > 0
  }

  /** The size of a blob in bytes, without reading it. */
  sizeOf(hash: string): number {
    return (
      this.#sql.exec<{ size: number | null }>("SELECT SUM(LENGTH(data)) AS size FROM blobs WHERE hash = ?", hash).one()
        .size ?? 0
    )
  }

  /** One chunk of a blob, and whether it is the last; for callers that must not have the whole blob in memory. */
  chunkOf(hash: string, chunk: number): { readonly data: Uint8Array; readonly last: boolean } {
    const [found] = this.#sql
      .exec<{ data: ArrayBuffer }>("SELECT data FROM blobs WHERE hash = ? AND chunk = ?", hash, chunk)
      .toArray()
    if (found === undefined) throw new Error("a chunk of a blob is missing")
    const next = this.#sql.exec("SELECT 1 FROM blobs WHERE hash = ? AND chunk = ?", hash, chunk + 1).toArray()
    return { data: new Uint8Array(found.data), last: next.length === 0 }
  }

  /** The bytes from `start` up to `end` (exclusive); reads only the chunks that contain them. */
  slice(hash: string, start: number, end: number): Uint8Array {
    const first = Math.floor(start / CHUNK_BYTES)
    const rows = this.#sql
      .exec<{ data: ArrayBuffer }>(
        "SELECT data FROM blobs WHERE hash = ? AND chunk BETWEEN ? AND ? ORDER BY chunk",
        hash,
        first,
        Math.floor((end - 1) / CHUNK_BYTES),
      )
      .toArray()
    return joinBytes(rows.map(({ data }) => new Uint8Array(data))).slice(
      start - first * CHUNK_BYTES,
      end - first * CHUNK_BYTES,
    )
  }

  getBlob(hash: string): Uint8Array | undefined {
    if (hash === "") return new Uint8Array(0)
    const rows = this.#sql
      .exec<{ data: ArrayBuffer }>("SELECT data FROM blobs WHERE hash = ? ORDER BY chunk", hash)
      .toArray()
    if (rows.length === 0) return undefined
    const chunks = rows.map(({ data }) => new Uint8Array(data))
    const bytes = joinBytes(chunks)
    for (const chunk of chunks) if (chunk !== bytes) release(chunk)
    return bytes
  }
}

/** The name of a content: its SHA-256 in hex, "" for no bytes. */
export const contentHash = (bytes: Uint8Array): string =>
  bytes.length === 0 ? "" : createHash("sha256").update(bytes).digest("hex")

/** The hashes of blobs that only a stage refers to, by database, because several `Blobs` may share one. */
const STAGED = new WeakMap<object, Set<string>>()

const stagedOf = (sql: object): Set<string> => {
  const known = STAGED.get(sql) ?? new Set<string>()
  STAGED.set(sql, known)
  return known
}
