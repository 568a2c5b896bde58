// Recordings as documents: a download can be uploaded again and has the same bytes; an invalid one is rejected by its field.
import { createHash } from "node:crypto"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { importDocument } from "../../../src/recording/document/import-document.ts"
import { documentPieces } from "../../../src/recording/document/write-document.ts"
import type { Recording } from "../../../src/recording/recording.ts"
import { RecordingBook } from "../../../src/recording/recording-book.ts"
import { openTwin } from "../../workspace/sql-twin.ts"

const ID = "rec-1"

const bookOf = () => {
  const { sql, transactionSync } = openTwin()
  return new RecordingBook({ sql: sql as unknown as SqlStorage, transactionSync }, ID) // the book uses only `exec`
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")

/** Splits bytes into chunks of this size. */
const streamOf = (bytes: Uint8Array, size = bytes.byteLength || 1) =>
  new ReadableStream<Uint8Array>({
    start(out) {
      for (let at = 0; at < bytes.byteLength; at += size) out.enqueue(bytes.slice(at, at + size))
      out.close()
    },
  })

const upload = (book: RecordingBook, text: string, size?: number) =>
  importDocument(book, streamOf(new TextEncoder().encode(text), size))

const download = (book: RecordingBook) =>
  Buffer.concat([...documentPieces(book.rows, book.id, book.metadataText() ?? "")]).toString("utf8")

const request = { model: "m", messages: { $chunk: "x" } }
const chunk = { role: "user", content: "é".repeat(600) }
const first = sha256(JSON.stringify(chunk))
const list = { $after: null, $items: [first] }

const DOCUMENT: Recording = {
  metadata: {
    id: ID,
    kind: "session",
    name: "A session",
    tags: ["a"],
    createdAt: "2026-01-01T00:00:00.000Z",
    signalCount: 3,
    finalized: true,
    durationMs: 12,
    source: { session_id: "s" },
    version: 1,
  },
  signals: ["session:created", "turn:queued", "sdk:result:success"].map((name, n) => ({
    id: `s${n}`,
    name,
    payload: { n, "1": [], text: '\u2028 \\ " 😀' },
    timestamp: "2026-01-01T00:00:00.000Z",
  })),
  checkpoints: [{ name: "one", index: 1, timestamp: "2026-01-01T00:00:00.000Z" }],
  answers: [{ kind: "model", hash: sha256(JSON.stringify(request)), ordinal: 0, request, response: "done" }],
  chunks: { [first]: chunk, [sha256(first)]: list },
}

/** The document with one change. */
const changed = (change: (document: { -readonly [Field in keyof Recording]: Recording[Field] }) => unknown): string => {
  const copy = structuredClone(DOCUMENT)
  change(copy)
  return JSON.stringify(copy)
}

describe("a document", () => {
  it("has the same bytes after an upload, however it is formatted and into whatever chunks it is split", async () => {
    const book = bookOf()
    expect(await upload(book, JSON.stringify(DOCUMENT, null, 2))).toEqual({ ok: true, value: true })
    const text = download(book)
    expect(JSON.parse(text)).toEqual(DOCUMENT)
    for (const size of [1, 7, 100_000]) {
      const other = bookOf()
      expect(await upload(other, text, size)).toEqual({ ok: true, value: true })
      expect(download(other)).toBe(text)
    }
  })

  it("of any signals round-trips", async () => {
    const json = fc
      .jsonValue({ maxDepth: 4 })
      // A key that is refused.
      .filter((value) => !JSON.stringify(value).includes("__proto__"))
      .map((value) => JSON.parse(JSON.stringify(value)) as Recording["signals"][0]["payload"])
    await fc.assert(
      fc.asyncProperty(fc.array(json, { maxLength: 8 }), fc.integer({ min: 1, max: 40 }), async (payloads, size) => {
        const signals = payloads.map((payload, n) => ({ ...DOCUMENT.signals[0]!, id: `s${n}`, payload }))
        const document = {
          ...DOCUMENT,
          metadata: { ...DOCUMENT.metadata, signalCount: signals.length },
          signals,
          checkpoints: [],
        }
        const book = bookOf()
        expect(await upload(book, JSON.stringify(document), size)).toEqual({ ok: true, value: true })
        expect(JSON.parse(download(book))).toEqual(document)
      }),
      { numRuns: 40 },
    )
  })

  it.each([
    ["metadata.kind", changed(({ metadata }) => Object.assign(metadata, { kind: "film" }))],
    ["metadata.version", changed(({ metadata }) => Object.assign(metadata, { version: 2 }))],
    ["metadata.id", changed(({ metadata }) => Object.assign(metadata, { id: "other" }))],
    ["metadata.signalCount", changed(({ metadata }) => Object.assign(metadata, { signalCount: 4 }))],
    ["metadata.colour", changed(({ metadata }) => Object.assign(metadata, { colour: 1 }))],
    ["metadata.createdAt", changed(({ metadata }) => Object.assign(metadata, { createdAt: "today" }))],
    ["metadata.tags[0]", changed(({ metadata }) => Object.assign(metadata, { tags: [""] }))],
    ["metadata", JSON.stringify({ ...DOCUMENT, metadata: undefined })],
    ["signals[1].name", changed(({ signals }) => Object.assign(signals[1]!, { name: "a b" }))],
    ["signals[2].id", changed(({ signals }) => Object.assign(signals[2]!, { id: undefined }))],
    ["signals", JSON.stringify({ ...DOCUMENT, signals: {} })],
    ["checkpoints[0].index", changed(({ checkpoints }) => Object.assign(checkpoints[0]!, { index: 9 }))],
    ["answers[0].hash", changed(({ answers }) => Object.assign(answers[0]!, { request: { model: "other" } }))],
    ["answers[0].kind", changed(({ answers }) => Object.assign(answers[0]!, { kind: "god" }))],
    ["answers[1]", changed((document) => (document.answers = [document.answers[0]!, document.answers[0]!]))],
    [`chunks.${first}`, changed(({ chunks }) => Object.assign(chunks[first] as object, { role: "assistant" }))],
    [
      `chunks.${sha256(first)}`,
      changed(({ chunks }) => Object.assign(chunks[sha256(first)] as object, { $items: [] })),
    ],
    ["songs", JSON.stringify({ ...DOCUMENT, songs: [] })],
    ["signals", `{"metadata":${JSON.stringify(DOCUMENT.metadata)},"signals":[],"signals":[]}`],
    [
      "signals[0]",
      `{"signals":[{"id":"a","name":"b","timestamp":"c","payload":${"[".repeat(220)}${"]".repeat(220)}}]}`,
    ],
    ["signals[0]", '{"signals":[{"id":"a","id":"b","name":"b","timestamp":"c","payload":1}]}'],
    ["signals[0]", '{"signals":[{"id":"a","name":"b","timestamp":"c","payload":{"__proto__":1}}]}'],
    ["signals[0]", '{"signals":[{"id":1 2}]}'],
    ["signals[0]", '{"signals":[,]}'],
    ["signals", '{"signals":[{"id":"a","name":"b","timestamp":"c","payload":1}'],
    [undefined, "[]"],
    [undefined, ""],
    [undefined, `${JSON.stringify(DOCUMENT)} {}`],
  ])("whose %s is wrong is refused by that field, and nothing is kept", async (field, text) => {
    for (const size of [3, 1_000_000]) {
      const book = bookOf()
      const refused = await upload(book, text, size)
      expect(refused).toMatchObject({ ok: false, error: { type: "invalid_request_error" } })
      expect(refused.ok ? null : refused.error.field).toBe(field)
      book.clear()
      expect([book.info(), book.exists]).toEqual([null, false])
    }
  })

  it("that is not UTF-8 is rejected", async () => {
    const refused = await importDocument(bookOf(), streamOf(Uint8Array.of(0x7b, 0x22, 0xff, 0x22)))
    expect(refused).toMatchObject({ ok: false, error: { message: "The document is not UTF-8, or it is incomplete." } })
  })
})

describe("a recording", () => {
  it("exists for the next process only if it was complete", async () => {
    const { sql, transactionSync } = openTwin()
    const storage = { sql: sql as unknown as SqlStorage, transactionSync } // the book uses only `exec`
    const begun = new RecordingBook(storage, ID)
    begun.write([{ part: "signal", n: 0, key: "a", json: "{}" }])
    expect(new RecordingBook(storage, ID).info()).toBeNull()
    const book = new RecordingBook(storage, ID)
    await upload(book, JSON.stringify(DOCUMENT))
    expect(new RecordingBook(storage, ID).info()).toEqual(book.info())
    expect(book.info()).toMatchObject({ signals: 3, answers: 1, checkpoints: DOCUMENT.checkpoints })
  })

  it("returns its signals in pages, all or those that match", async () => {
    const book = bookOf()
    await upload(book, JSON.stringify(DOCUMENT))
    const page = (after: number, limit: number, pattern?: string) => {
      const { signals, ...rest } = book.events({ after, limit, ...(pattern === undefined ? {} : { pattern }) })!
      return { names: signals.map(({ seq, json }) => `${seq} ${(JSON.parse(json) as { name: string }).name}`), ...rest }
    }
    expect(page(0, 2)).toEqual({
      names: ["1 session:created", "2 turn:queued"],
      has_more: true,
      next_after: 2,
      last_seq: 3,
    })
    expect(page(2, 2)).toMatchObject({ names: ["3 sdk:result:success"], has_more: false, next_after: 3 })
    expect(page(0, 10, "*:*")).toMatchObject({ names: ["1 session:created", "2 turn:queued"], has_more: false })
    expect(page(0, 10, "sdk:**")).toMatchObject({ names: ["3 sdk:result:success"], has_more: false })
    expect(page(7, 10)).toMatchObject({ names: [], has_more: false })
  })

  it("has named positions", async () => {
    const book = bookOf()
    await upload(book, JSON.stringify(DOCUMENT))
    const added = book.checkpoint({ name: "two" }, 0)
    expect(added).toMatchObject({ ok: true, value: { checkpoints: [{ name: "one" }, { name: "two", index: 3 }] } })
    expect(book.checkpoint({ name: "two", index: 3 }, 1)).toEqual(added)
    expect(book.checkpoint({ name: "two", index: 1 }, 1)).toMatchObject({
      ok: false,
      error: { type: "conflict_error" },
    })
    expect(book.checkpoint({ name: "far", index: 4 }, 1)).toMatchObject({ ok: false, error: { field: "index" } })
    expect(book.info()).toEqual(added.ok ? added.value : null)
  })

  it("returns an answer and those after it", async () => {
    const book = bookOf()
    await upload(book, JSON.stringify(DOCUMENT))
    const [answer] = DOCUMENT.answers
    expect(book.answers("model", answer!.hash, 0)).toEqual(DOCUMENT.answers)
    expect(book.answers("model", answer!.hash, 1)).toEqual([])
  })
})
