// The files of a session for tests in Node: a map from path to text, read and written over HTTP like a session object's.
import type { FileInfo } from "../../src/schemas/api/files.ts"

/** Answers a request for a file as the session's object does. */
export const fileAnswer = async (
  files: Map<string, string>,
  url: URL,
  init: RequestInit | undefined,
): Promise<Response> => {
  const path = decodeURIComponent(url.pathname.slice("/files".length))
  const known = files.get(path)
  if (init?.method === "PUT") {
    const aborted = new Promise<never>((_, reject) => {
      init.signal?.addEventListener("abort", () => reject(new Error("aborted")))
    })
    files.set(path, await Promise.race([new Response(init.body ?? null).text(), aborted]))
    return new Response(null, { status: known === undefined ? 201 : 200, headers: headersOf(files, path) })
  }
  if (known === undefined) return Response.json({ type: "not_found_error", message: "No such file" }, { status: 404 })
  if (init?.method === "DELETE") {
    files.delete(path)
    return new Response(null, { status: 204 })
  }
  const headers = headersOf(files, path)
  const seen = new Headers(init?.headers).get("if-none-match") === headers["etag"]
  if (new Headers(init?.headers).has("range")) {
    return new Response(known.slice(0, 1), { status: 206, headers: { ...headers, "content-range": "bytes 0-0/5" } })
  }
  return seen ? new Response(null, { status: 304, headers }) : new Response(known, { headers })
}

export const fileInfos = (files: ReadonlyMap<string, string>): ReadonlyArray<FileInfo> =>
  [...files].map(([path, text]) => ({
    path,
    type: "file",
    size: text.length,
    modified_at: "2026-01-01T00:00:00.000Z",
    mode: 0o644,
  }))

const headersOf = (files: Map<string, string>, path: string): Record<string, string> => {
  const info = fileInfos(files).find((one) => one.path === path)
  return {
    "x-perch-file-info": JSON.stringify(info),
    etag: JSON.stringify(encodeURIComponent(files.get(path) ?? "")),
  }
}
