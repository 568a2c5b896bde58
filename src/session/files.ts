// Files of a session over the object's fetch: bytes in and out of the workspace.
// Invariant: errors are JSON `RpcError`; a path never leaves the workspace.
import { ERROR_STATUS, type FileInfo, type FilesPage, type RpcError } from "../schemas/session-rpc.ts"
import { WorkspaceError } from "../workspace/workspace-error.ts"
import type { ListedFile, Workspace } from "../workspace/workspace.ts"

export const toFilesPage = (
  workspace: Workspace,
  query: { readonly prefix: string; readonly cursor?: string; readonly limit: number },
): FilesPage | { readonly refused: RpcError } => {
  try {
    const { files, next } = workspace.list(query.prefix, query.cursor ?? null, query.limit)
    return { files: files.map(toFileInfo), next_cursor: next }
  } catch (error) {
    return { refused: rpcErrorOf(error) }
  }
}

/** `GET|PUT|DELETE /files/ABSOLUTE/PATH`. */
export const answerFileRequest = async (workspace: Workspace, request: Request, url: URL): Promise<Response> => {
  try {
    const path = decodeURIComponent(url.pathname.slice("/files".length))
    if (request.method === "GET") return readFile(workspace, path)
    if (request.method === "PUT") return writeFile(workspace, path, new Uint8Array(await request.arrayBuffer()))
    if (request.method === "DELETE") {
      workspace.remove(path, { recursive: true })
      return new Response(null, { status: 204 })
    }
    return failed({ type: "invalid_request_error", message: "a file can be read, written or deleted" })
  } catch (error) {
    return failed(rpcErrorOf(error))
  }
}

const readFile = (workspace: Workspace, path: string): Response => {
  const bytes = workspace.readBytes(path)
  return new Response(bytes, { headers: infoHeader(workspace, path) })
}

const writeFile = (workspace: Workspace, path: string, bytes: Uint8Array): Response => {
  const existed = workspace.exists(path)
  workspace.writeBytes(path, bytes)
  return new Response(null, { status: existed ? 200 : 201, headers: infoHeader(workspace, path) })
}

const infoHeader = (workspace: Workspace, path: string): Record<string, string> => {
  const { type, size, mtime } = workspace.stat(path)
  const info: FileInfo = { path, type, size, modified_at: new Date(mtime).toISOString() }
  // Header values are Latin-1 and a path may be anything: JSON has escapes for it.
  const json = JSON.stringify(info).replaceAll(
    /[^ -~]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )
  return { "x-perch-file-info": json }
}

const toFileInfo = (file: ListedFile): FileInfo => ({
  path: file.path,
  type: file.type,
  size: file.size,
  modified_at: new Date(file.mtime).toISOString(),
})

const failed = (error: RpcError): Response => Response.json(error, { status: ERROR_STATUS[error.type] })

const TYPES: Readonly<Record<string, RpcError["type"]>> = {
  ENOENT: "not_found_error",
  EFBIG: "request_too_large",
  EDQUOT: "request_too_large",
  EEXIST: "conflict_error",
  ENOTEMPTY: "conflict_error",
}

/** What went wrong in the workspace, without anything of the host. The unexpected is thrown on. */
const rpcErrorOf = (error: unknown): RpcError => {
  if (error instanceof WorkspaceError)
    return { type: TYPES[error.code] ?? "invalid_request_error", message: error.message }
  if (error instanceof URIError) return { type: "invalid_request_error", message: "the path is not a valid URL path" }
  throw error
}
