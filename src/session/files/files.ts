// Answers requests about the files of a session: lists them, reads and writes their bytes, and compares checkpoints.
// Invariant: errors are JSON `RpcError`; a path never leaves the workspace.
import { release } from "../../net/release.ts"
import { errorResponse, type RpcError } from "../../schemas/errors/rpc-error.ts"
import { type DiffQuery, FILE_INFO_HEADER, type FilesPage } from "../../schemas/rpc/files.ts"
import type { Diff, FileInfo } from "../../schemas/api/files.ts"
import { exportArchive } from "../../workspace/archive/archive-export.ts"
import { ArchiveError, importArchive } from "../../workspace/archive/archive-import.ts"
import { WorkspaceError } from "../../workspace/workspace-error.ts"
import type { ListedFile, Workspace } from "../../workspace/workspace.ts"
import { entityTag, preconditionOf, rangeOf } from "./preconditions.ts"
import { refuse, type Refusal } from "../refusal.ts"
import { limitsOf } from "./workspace-limits.ts"

type FilesQuery = { readonly prefix: string; readonly cursor?: string; readonly limit: number }

export const toFilesPage = (workspace: Workspace, query: FilesQuery): FilesPage | Refusal => {
  try {
    const { files, next } = workspace.list(query.prefix, query.cursor ?? null, query.limit)
    const { nodes, bytes } = workspace.totals()
    return {
      files: files.map(toFileInfo),
      next_cursor: next,
      limits: limitsOf(workspace),
      used: { files: nodes, bytes },
    }
  } catch (error) {
    return { refused: rpcErrorOf(error) }
  }
}

/** Maximum number of checkpoints that are listed: the newest ones. */
const MAX_CHECKPOINTS = 10_000

export const newestCheckpoints = (workspace: Workspace): ReadonlyArray<string> =>
  workspace.checkpoints().slice(-MAX_CHECKPOINTS)

/** What changed from one checkpoint (the first one if none is named) to another, or to now. */
export const diffFiles = (workspace: Workspace, query: DiffQuery): Diff | Refusal => {
  const from = query.from ?? workspace.checkpoints()[0]
  const to = query.to ?? null
  if (from === undefined) return { from: null, to, ...NO_DIFFERENCE }
  const diff = workspace.diff(from, to)
  return "missing" in diff ? noCheckpoint(diff.missing) : { from, to, ...diff }
}

export const NO_DIFFERENCE = { files: [], unified: "", additions: 0, deletions: 0, truncated: false } as const

export const noCheckpoint = (id: string): Refusal =>
  refuse("not_found_error", `there is no file checkpoint for the message ${id}`)

/** `GET|PUT|DELETE /files/ABSOLUTE/PATH`. */
export const answerFileRequest = async (workspace: Workspace, request: Request, url: URL): Promise<Response> => {
  try {
    const path = decodeURIComponent(url.pathname.slice("/files".length))
    if (request.method === "GET") return readFile(workspace, path, request.headers)
    if (request.method === "PUT") {
      const body = await request.arrayBuffer().catch(() => null)
      const length = request.headers.get("x-perch-body-length")
      if (body === null || (length !== null && Number(length) !== body.byteLength)) return errorResponse(BROKEN_OFF)
      const bytes = new Uint8Array(body)
      // Synchronous from here on: the precondition still holds when the file is written.
      const written = writeFile(workspace, path, bytes, request.headers)
      release(bytes)
      return written
    }
    if (request.method === "DELETE") {
      if (preconditionOf(request.headers, tagOf(workspace, path)) !== "met") return errorResponse(PRECONDITION_FAILED)
      workspace.remove(path, { recursive: true })
      return new Response(null, { status: 204 })
    }
    return errorResponse({ type: "invalid_request_error", message: "a file can be read, written or deleted" })
  } catch (error) {
    return errorResponse(rpcErrorOf(error))
  }
}

const BROKEN_OFF: RpcError = {
  type: "invalid_request_error",
  message: "the request's body was interrupted, and nothing of it was stored",
}

const PRECONDITION_FAILED: RpcError = {
  type: "precondition_failed_error",
  message: "the file does not meet the condition of If-Match or If-None-Match",
}

/** What a file is read from: the workspace, or its files of an earlier time. */
export type ReadableFiles = Pick<Workspace, "hashOf" | "readBytes" | "readSlice" | "stat">

export const readFile = (workspace: ReadableFiles, path: string, asked: Headers): Response => {
  const etag = entityTag(workspace.hashOf(path))
  const precondition = preconditionOf(asked, etag)
  if (precondition === "failed") return errorResponse(PRECONDITION_FAILED)
  if (precondition === "seen") return new Response(null, { status: 304, headers: { etag } })
  const { size } = workspace.stat(path)
  const range = rangeOf(asked, size, etag)
  const headers = { ...infoHeader(workspace, path), "accept-ranges": "bytes" }
  if (range === null) return new Response(workspace.readBytes(path), { headers })
  if (range === "unsatisfiable") {
    const message = `the file has ${size} bytes, and none of them is in the range`
    const refused = errorResponse({ type: "range_not_satisfiable_error", message })
    refused.headers.set("content-range", `bytes */${size}`)
    return refused
  }
  const { start, end } = range
  return new Response(workspace.readSlice(path, start, end), {
    status: 206,
    headers: { ...headers, "content-range": `bytes ${start}-${end - 1}/${size}` },
  })
}

const writeFile = (workspace: Workspace, path: string, bytes: Uint8Array, asked: Headers): Response => {
  if (preconditionOf(asked, tagOf(workspace, path)) !== "met") return errorResponse(PRECONDITION_FAILED)
  const existed = workspace.exists(path)
  workspace.writeBytes(path, bytes)
  return new Response(null, { status: existed ? 200 : 201, headers: infoHeader(workspace, path) })
}

/** The entity tag of what is at a path; null when nothing is. A directory has no content, so only `*` matches it. */
const tagOf = (workspace: Workspace, path: string): string | null => {
  if (!workspace.exists(path)) return null
  return workspace.stat(path).type === "file" ? entityTag(workspace.hashOf(path)) : '"directory"'
}

const infoHeader = (workspace: ReadableFiles, path: string): Record<string, string> => {
  const { type, size, mtime, mode } = workspace.stat(path)
  const info = toFileInfo({ path, type, size, mtime, mode, hash: workspace.hashOf(path) })
  // Header values are Latin-1 and a path may be anything: JSON has escapes for it.
  const json = JSON.stringify(info).replaceAll(
    /[^ -~]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )
  return { [FILE_INFO_HEADER]: json, etag: entityTag(workspace.hashOf(path)) }
}

export const toFileInfo = (file: ListedFile): FileInfo => ({
  path: file.path,
  type: file.type,
  size: file.size,
  modified_at: new Date(file.mtime).toISOString(),
  mode: file.mode & 0o777,
  ...(file.type === "file" ? { sha256: file.hash || EMPTY_SHA256 } : {}),
  ...(file.target === undefined ? {} : { target: file.target }),
})

/** Content of no bytes has no hash in the workspace. */
const EMPTY_SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

const TYPES: Readonly<Record<string, RpcError["type"]>> = {
  ENOENT: "not_found_error",
  EFBIG: "request_too_large",
  EDQUOT: "request_too_large",
  EEXIST: "conflict_error",
  ENOTEMPTY: "conflict_error",
}

/** `GET|PUT /archive?path=PATH&format=tar|tar.gz`: the tree below a path as a tar stream. */
export const answerArchiveRequest = async (workspace: Workspace, request: Request, url: URL): Promise<Response> => {
  const path = url.searchParams.get("path") ?? "/"
  const gzip = url.searchParams.get("format") === "tar.gz"
  try {
    if (request.method === "GET") {
      const archive = exportArchive(workspace, path)
      return new Response(gzip ? archive.pipeThrough(new CompressionStream("gzip")) : archive)
    }
    if (request.body === null)
      return errorResponse({ type: "invalid_request_error", message: "there is no archive in the body" })
    const archive = gzip ? request.body.pipeThrough(new DecompressionStream("gzip")) : request.body
    return Response.json(await importArchive(workspace, path, archive))
  } catch (error) {
    if (error instanceof ArchiveError) return errorResponse({ type: "invalid_request_error", message: error.message })
    return errorResponse(rpcErrorOf(error))
  }
}

/** An error of the workspace, without details of the host. Unexpected errors are rethrown. */
export const rpcErrorOf = (error: unknown): RpcError => {
  if (error instanceof WorkspaceError)
    return { type: TYPES[error.code] ?? "invalid_request_error", message: error.message }
  if (error instanceof URIError) return { type: "invalid_request_error", message: "the path is not a valid URL path" }
  throw error
}
