// Receives the bytes of an uploaded document; writes its recording.
// Invariant: a document that is refused makes no recording; only one part and one batch of rows are in memory.
import { MAX_DOCUMENT } from "../../schemas/api/recordings.ts"
import { ok, refused, type RpcResult } from "../../schemas/errors/rpc-error.ts"
import type { RecordingBook } from "../recording-book.ts"
import { DocumentFault, DocumentSplitter } from "./document-splitter.ts"
import { type ReadPart, RecordingDocument } from "./read-document.ts"

/** How many characters of rows are written together. */
const BATCH = 1024 * 1024
/** How many bytes are decoded together; large, because each piece copies the text of an incomplete part again. */
const PIECE = 256 * 1024

/** Reads the document into a book that has no recording yet; true once it has one. A refused document may leave rows to clear. */
export const importDocument = async (
  book: RecordingBook,
  body: ReadableStream<Uint8Array> | null,
): Promise<RpcResult<boolean>> => {
  const document = new RecordingDocument()
  const splitter = new DocumentSplitter()
  const rows = new Batch(book)
  try {
    for await (const text of textsOf(body)) {
      for (const part of splitter.push(text)) {
        const read = document.read(part)
        if (read !== null) rows.add(read)
      }
    }
    splitter.end()
    const metadata = document.end()
    if (metadata.id !== book.id) {
      throw new DocumentFault("metadata.id", `is ${metadata.id}, but the path has ${book.id}`)
    }
    rows.flush()
    book.finish(metadata)
    return ok(true)
  } catch (error) {
    if (error instanceof TooLarge) {
      return refused("request_too_large", `The document is larger than ${MAX_DOCUMENT} bytes.`)
    }
    if (error instanceof DocumentFault) {
      const { message, field } = error
      return refused("invalid_request_error", message, field === "" ? {} : { field: field.slice(0, 200) })
    }
    if (error instanceof TypeError)
      return refused("invalid_request_error", "The document is not UTF-8, or it is incomplete.")
    throw error
  }
}

class TooLarge extends Error {}

class Batch {
  readonly #book: RecordingBook
  #rows: Array<ReadPart> = []
  #size = 0

  constructor(book: RecordingBook) {
    this.#book = book
  }

  add(row: ReadPart): void {
    this.#rows.push(row)
    this.#size += row.json.length
    if (this.#size >= BATCH) this.flush()
  }

  flush(): void {
    this.#book.write(this.#rows)
    this.#rows = []
    this.#size = 0
  }
}

async function* textsOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string> {
  if (body === null) return
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false })
  let size = 0
  let waiting = ""
  let held = 0
  for await (const bytes of body) {
    size += bytes.byteLength
    if (size > MAX_DOCUMENT) throw new TooLarge()
    waiting += decoder.decode(bytes, { stream: true })
    held += bytes.byteLength
    if (held < PIECE) continue
    yield waiting
    waiting = ""
    held = 0
  }
  yield waiting + decoder.decode()
}
