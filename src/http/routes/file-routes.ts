// The routes of a session's workspace: list, read, write and delete files.
// Invariant: bytes are passed on unchanged, and browsers never run a file with the rights of this origin.
import * as Effect from "effect/Effect"
import { checkLength, FILE_LIMIT, passBody, readBytes } from "../bodies/body.ts"
import { compressedBody } from "../bodies/json-faults.ts"
import { contract } from "../contract/contract.ts"
import { FILE_INFO_HEADER, FILES_AT_HEADER } from "../../schemas/rpc/files.ts"
import { errorResponse, fromRpcError, invalidField } from "../errors/errors.ts"
import { fromObject, responseError, rpcError } from "../object-call.ts"
import { ok } from "../../schemas/errors/rpc-error.ts"
import { type App, handle, json } from "../handle.ts"
import { callOnce, callSession } from "../sessions/session-call.ts"
import { contentTypeOf } from "../content-type.ts"
import { requestedFile } from "../file-url.ts"
import { API_POLICY } from "../static-pages.ts"

/** The header that passes the declared length to the object, which recognizes by it content that broke off. */
const BODY_LENGTH = "x-perch-body-length"

export const fileRoutes = (app: App): void => {
  handle(
    app,
    contract.listFiles,
    Effect.fnUntraced(function* ({ params, query }, { session }) {
      const page = {
        prefix: query.prefix ?? "",
        limit: query.limit ?? 1000,
        ...(query.cursor === undefined ? {} : { cursor: query.cursor }),
        ...(query.at === undefined ? {} : { at: query.at }),
      }
      return json(200, yield* callSession(session, params.id, (stub) => stub.files(page)))
    }),
  )

  handle(
    app,
    contract.getFile,
    Effect.fnUntraced(function* ({ params, query: { at } }, { request, requestId, session }) {
      const url = yield* requestedFile(params.path, request)
      const preconditions = conditions(request)
      const place = at === undefined ? url : `${url}?at=${at}`
      const response = yield* callSession(session, params.id, async (stub) =>
        ok(await stub.fetch(place, { headers: preconditions })),
      )
      const headers = new Headers({
        "content-type": contentTypeOf(params.path),
        "content-security-policy": `sandbox; ${API_POLICY}`,
        // A browser would ask for a part that it has stored, and get all of a file that has changed since.
        "cache-control": response.status === 206 ? "no-store" : "private, no-cache",
      })
      for (const name of ["etag", "accept-ranges", "content-range", "content-length", FILES_AT_HEADER]) {
        const value = response.headers.get(name)
        if (value !== null) headers.set(name, value)
      }
      if (response.status === 304) return new Response(null, { status: 304, headers })
      if (response.ok) return new Response(response.body, { status: response.status, headers })
      const error = fromRpcError(yield* Effect.promise(() => rpcError(response)))
      const range = headers.get("content-range")
      if (range === null) return yield* error
      const refused = errorResponse(error, requestId)
      refused.headers.set("content-range", range)
      return refused
    }),
  )

  handle(
    app,
    contract.putFile,
    Effect.fnUntraced(function* ({ params }, { request, session }) {
      const url = yield* requestedFile(params.path, request)
      yield* checkLength(request, FILE_LIMIT)
      const compressed = compressedBody(request.headers, "content")
      if (compressed !== undefined) return yield* compressed
      // The server enforces a declared length, so such a body is streamed; any other is read first, to count its bytes.
      const declared = request.headers.has("content-length")
      const body = declared ? request.body : yield* readBytes(request, FILE_LIMIT)
      const length = request.headers.get("content-length")
      const headers = { ...conditions(request), ...(length === null ? {} : { [BODY_LENGTH]: length }) }
      const put = (init: RequestInit) => session(params.id).fetch(url, { method: "PUT", headers, ...init })
      const response =
        body instanceof Uint8Array
          ? yield* fromObject("session", () => put({ body }))
          : yield* passBody("session", body, (content, signal) => put({ body: content, signal }))
      if (!response.ok) return yield* responseError(response)
      const file = response.headers.get(FILE_INFO_HEADER)
      if (file === null) return yield* Effect.die(new Error("the session's object did not describe the file"))
      const etag = response.headers.get("etag")
      return json(response.status, JSON.parse(file), etag === null ? {} : { etag })
    }),
  )

  handle(
    app,
    contract.deleteFile,
    Effect.fnUntraced(function* ({ params }, { request, session }) {
      const url = yield* requestedFile(params.path, request)
      const headers = conditions(request)
      const response = yield* fromObject("session", () => session(params.id).fetch(url, { method: "DELETE", headers }))
      return response.ok ? new Response(null, { status: 204 }) : yield* responseError(response)
    }),
  )

  handle(
    app,
    contract.rewindFiles,
    Effect.fnUntraced(function* ({ params, body }, { session }) {
      return json(200, yield* callOnce(session, params.id, (stub) => stub.rewind(body)))
    }),
  )

  handle(
    app,
    contract.listCheckpoints,
    Effect.fnUntraced(function* ({ params }, { session }) {
      return json(200, yield* callSession(session, params.id, (stub) => stub.checkpoints()))
    }),
  )

  handle(
    app,
    contract.diffFiles,
    Effect.fnUntraced(function* ({ params, query: { format, ...range } }, { request, session }) {
      if (range.at !== undefined && range.to !== undefined) return yield* invalidField("to", TWO_ENDS)
      const diff = yield* callSession(session, params.id, (stub) => stub.diff(range))
      if (!wantsUnified(request, format)) return json(200, diff)
      return new Response(diff.unified, { headers: { "content-type": "text/x-diff; charset=utf-8" } })
    }),
  )
}

const TWO_ENDS = "at is the end of what is compared already. Send only one of the two."

const wantsUnified = (request: Request, format: "json" | "unified" | undefined): boolean =>
  format === "unified" || (format === undefined && /text\/x-diff/i.test(request.headers.get("accept") ?? ""))

/** The conditional and range headers, which the session's object evaluates. Ranges are defined for GET only. */
const conditions = (request: Request): Record<string, string> =>
  Object.fromEntries(
    ["if-match", "if-none-match", ...(request.method === "GET" ? ["if-range", "range"] : [])].flatMap((name) => {
      const value = request.headers.get(name)
      return value === null ? [] : [[name, value]]
    }),
  )
