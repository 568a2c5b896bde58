// The workspace of one session: reads, writes, lists and removes its files, and downloads or uploads whole trees as archives.
// Invariant: paths are absolute and each name in them is encoded separately, so that a file of any name can be addressed.
import { encoded, sessionPath, streamOf, type Transport } from "./transport.ts"

/** A file, folder or link of the workspace. */
export interface WorkspaceFile {
  readonly path: string
  readonly type: "file" | "directory" | "symlink"
  readonly size: number
  readonly modified_at: string
  /** Permission bits. */
  readonly mode: number
  /** Only for files: the SHA-256 of the content, in hexadecimal. */
  readonly sha256?: string
  /** Only for symlinks: the path that it points to. */
  readonly target?: string
}

/** Limits of a workspace; `files` counts folders and links too, `bytes` is the total, `file_bytes` is per file. */
export interface WorkspaceLimits {
  readonly files: number
  readonly bytes: number
  readonly file_bytes: number
}

/** A page of the workspace's files, and how much of its limits is used. */
export interface FilePage {
  readonly files: ReadonlyArray<WorkspaceFile>
  readonly next_cursor: string | null
  readonly limits: WorkspaceLimits
  readonly used: { readonly files: number; readonly bytes: number }
  /** With `at`: the seq of the event whose file state this is: `at`, or within a turn the last event before it with a snapshot. */
  readonly files_at?: number
}

/** Which files to list. */
export interface ListFiles {
  /** Lists everything at or below this path (`/` by default). */
  readonly prefix?: string
  readonly cursor?: string
  /** At most 1,000. */
  readonly limit?: number
  /** Lists the files as they were right after the event with this `seq`. */
  readonly at?: number
  readonly signal?: AbortSignal
}

/** Conditions for writing a file. */
export interface WriteFile {
  /** Overwrites only the file with this `etag`; `*` is any existing file. Otherwise throws PreconditionFailedError. */
  readonly ifMatch?: string
  /** `*` writes only when there is no such file. Otherwise throws PreconditionFailedError. */
  readonly ifNoneMatch?: "*"
  readonly signal?: AbortSignal
}

/** What an archive added to the workspace. */
export interface ImportReport {
  readonly files: number
  readonly directories: number
  readonly links: number
  readonly bytes: number
}

/** Which tree an archive contains, and its format. */
export interface ArchiveOptions {
  /** The directory that the archive's names are relative to (`/` by default). */
  readonly path?: string
  /** Whether the archive is gzipped (true by default). */
  readonly gzip?: boolean
  readonly signal?: AbortSignal
}

/** The time limit for files and archives, in milliseconds: they may be large. */
const FILE_MS = 10 * 60_000

/** A conditional request that is sent again would fail on the change that it made itself. */
const CONDITIONAL = "once"

/** The workspace of one session. Methods throw a PerchError when the server refuses. */
export class SessionFiles {
  readonly #transport: Transport
  readonly #id: string

  constructor(transport: Transport, id: string) {
    this.#transport = transport
    this.#id = id
  }

  /** A page of files in path order, with the workspace's limits. */
  list({ prefix, cursor, limit, at, signal }: ListFiles = {}): Promise<FilePage> {
    const query = { prefix, cursor, limit, at }
    return this.#transport.json("GET", sessionPath(this.#id, "/files"), { query, signal })
  }

  /** All files at or below a path, page by page. */
  async *all({ prefix, signal }: Pick<ListFiles, "prefix" | "signal"> = {}): AsyncGenerator<WorkspaceFile, void> {
    let cursor: string | null | undefined
    do {
      const page = await this.list({
        limit: 1000,
        ...(prefix === undefined ? {} : { prefix }),
        ...(cursor == null ? {} : { cursor }),
        ...(signal === undefined ? {} : { signal }),
      })
      yield* page.files
      cursor = page.next_cursor
    } while (cursor !== null)
  }

  /** The response with the file's bytes as a stream and its headers (`etag`, `content-length`). Throws NotFoundError. */
  open(
    path: string,
    options: {
      readonly range?: string
      readonly ifMatch?: string
      readonly at?: number
      readonly signal?: AbortSignal
    } = {},
  ): Promise<Response> {
    return this.#transport.send("GET", this.#path(path), {
      query: { at: options.at },
      headers: { range: options.range, "if-match": options.ifMatch },
      signal: options.signal,
    })
  }

  /** The file's bytes. Throws NotFoundError when there is none. */
  async read(
    path: string,
    options: { readonly at?: number; readonly signal?: AbortSignal } = {},
  ): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(await this.#whole(path, options, (response) => response.arrayBuffer()))
  }

  /** The file's text, as UTF-8. Throws NotFoundError when there is none. */
  async readText(path: string, options: { readonly at?: number; readonly signal?: AbortSignal } = {}): Promise<string> {
    return this.#whole(path, options, (response) => response.text())
  }

  /**
   * Writes a file and creates the folders above it. Throws RequestTooLargeError beyond the workspace's limits, and a TypeError
   * for content that is neither text nor bytes.
   */
  async write(
    path: string,
    content: string | Uint8Array<ArrayBuffer> | Blob,
    options: WriteFile = {},
  ): Promise<WorkspaceFile> {
    checkContent("content", content)
    return this.#transport.json("PUT", this.#path(path), {
      body: content,
      headers: {
        "content-type": "application/octet-stream",
        "if-match": options.ifMatch,
        "if-none-match": options.ifNoneMatch,
      },
      timeoutMs: FILE_MS,
      signal: options.signal,
      repeat: options.ifMatch === undefined && options.ifNoneMatch === undefined ? "safe" : CONDITIONAL,
    })
  }

  /** Removes a file, or a folder with all that is in it. Throws NotFoundError when there is none. */
  async remove(path: string, options: Pick<WriteFile, "ifMatch" | "signal"> = {}): Promise<void> {
    await this.#transport.send("DELETE", this.#path(path), {
      headers: { "if-match": options.ifMatch },
      signal: options.signal,
      ...(options.ifMatch === undefined ? { removes: true } : { repeat: CONDITIONAL }),
    })
  }

  /** The tree below a path as a tar archive, a consistent snapshot. */
  async download({ path = "/", gzip = true, signal }: ArchiveOptions = {}): Promise<ReadableStream<Uint8Array>> {
    const response = await this.#transport.send("GET", sessionPath(this.#id, "/archive"), {
      query: { path, format: gzip ? "tar.gz" : "tar" },
      timeoutMs: FILE_MS,
      signal,
    })
    return streamOf(response) ?? new ReadableStream({ start: (controller) => controller.close() })
  }

  /** Extracts a tar archive below a path: all of it or nothing. Files that the archive does not name stay. */
  async upload(archive: Uint8Array<ArrayBuffer> | Blob, options: ArchiveOptions = {}): Promise<ImportReport> {
    checkContent("archive", archive)
    const { path = "/", gzip = true, signal } = options
    return this.#transport.json("PUT", sessionPath(this.#id, "/archive"), {
      query: { path, format: gzip ? "tar.gz" : "tar" },
      headers: { "content-type": gzip ? "application/gzip" : "application/x-tar" },
      body: archive,
      timeoutMs: FILE_MS,
      signal,
    })
  }

  #whole<A>(
    path: string,
    { at, signal }: { readonly at?: number; readonly signal?: AbortSignal },
    read: (response: Response) => Promise<A>,
  ): Promise<A> {
    return this.#transport.read("GET", this.#path(path), { query: { at }, bodyMs: FILE_MS, signal }, read)
  }

  #path(path: string): string {
    const [root, ...names] = typeof path === "string" ? path.split("/") : []
    if (root !== "" || names.length === 0 || names.some((name) => name === "." || name === ".."))
      throw new TypeError(`The path must be absolute, without . and .. in it. Got ${JSON.stringify(path)}.`)
    return sessionPath(this.#id, `/files/${names.map((name) => encoded("The path", name)).join("/")}`)
  }
}

/** Throws a TypeError for what `fetch` would send as something else: `undefined` as nothing, an object as its name. */
const checkContent = (name: string, content: unknown): void => {
  const isBytes = ArrayBuffer.isView(content) || content instanceof ArrayBuffer || content instanceof Blob
  if (typeof content !== "string" && !isBytes)
    throw new TypeError(`${name} must be a string, bytes or a Blob. Got ${content === null ? "null" : typeof content}.`)
}
