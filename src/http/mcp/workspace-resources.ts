// Receives requests of `/mcp` for the resources of a session; returns the files of its workspace.
// Invariant: a file is identified by its `file:` URI and read as a whole or not at all, only with the scope `files`.
import * as Effect from "effect/Effect"
import type { OfferedFiles } from "../../mcp/endpoint-resources.ts"
import { FILE_INFO_HEADER } from "../../schemas/rpc/files.ts"
import type { FileInfo } from "../../schemas/api/files.ts"
import { contentTypeOf } from "../content-type.ts"
import { invalidField } from "../errors/errors.ts"
import { fileUrl } from "../file-url.ts"
import type { Caller } from "../handle.ts"
import { callSession } from "../sessions/session-call.ts"
import { ok } from "../../schemas/errors/rpc-error.ts"
import { responseError } from "../object-call.ts"
import { offered } from "./refusal.ts"

const PAGE = 200
/** The largest resource in bytes: it is sent as JSON. */
const MAX_BYTES = 4 * 1024 * 1024

const TOO_LARGE = `the file has more than ${MAX_BYTES} bytes. Read a part of it with the tool Read, or download it at GET /v1/sessions/{id}/files/{path}`

/** Returns null when the caller's key may not read files. */
export const workspaceResources = (session: string, caller: Caller): OfferedFiles | null => {
  if (caller.principal?.scopes.includes("files") !== true) return null
  return {
    list: (cursor) => offered(caller, list(session, caller, cursor)),
    read: (uri) => offered(caller, read(session, caller, uri)),
  }
}

const list = Effect.fnUntraced(function* (session: string, caller: Caller, cursor: string | undefined) {
  if (cursor?.startsWith("/") === false) return yield* invalidField("cursor", "must be the nextCursor of a page")
  const page = { prefix: "", limit: PAGE, ...(cursor === undefined ? {} : { cursor }) }
  const { files, next_cursor } = yield* callSession(caller.session, session, (stub) => stub.files(page))
  const resources = files
    .filter(({ type }) => type === "file")
    .map(({ path, size, modified_at }) => ({
      uri: `file://${path.split("/").map(encodeURIComponent).join("/")}`,
      name: path.slice(path.lastIndexOf("/") + 1),
      title: path,
      mimeType: mimeOf(path),
      size,
      annotations: { lastModified: modified_at },
    }))
  return { resources, ...(next_cursor === null ? {} : { nextCursor: next_cursor }) }
})

const mimeOf = (path: string): string => contentTypeOf(path).split(";")[0] ?? ""

const read = Effect.fnUntraced(function* (session: string, caller: Caller, uri: string) {
  const path = pathOf(uri)
  if (path === null) return yield* invalidField("uri", "must be the file: URI of a file of the workspace")
  const url = yield* fileUrl(path.slice(1))
  const response = yield* callSession(caller.session, session, async (stub) => ok(await stub.fetch(url)))
  if (!response.ok) return yield* responseError(response)
  // Not every runtime reports the length of an object's response.
  const { size } = JSON.parse(response.headers.get(FILE_INFO_HEADER) ?? "{}") as FileInfo // the object wrote it
  if (size > MAX_BYTES) {
    yield* Effect.promise(async () => response.body?.cancel())
    return yield* invalidField("uri", TOO_LARGE)
  }
  return { mimeType: mimeOf(path), bytes: new Uint8Array(yield* Effect.promise(() => response.arrayBuffer())) }
})

const pathOf = (uri: string): string | null => {
  const url = URL.canParse(uri) ? new URL(uri) : null
  if (url?.protocol !== "file:" || url.host !== "") return null
  try {
    return decodeURIComponent(url.pathname)
  } catch {
    return null
  }
}
