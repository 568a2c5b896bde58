// The routes that download a workspace as a tar archive, and upload one into it.
// Invariant: bytes are streamed unchanged; the session's object packs and unpacks them.
import * as Effect from "effect/Effect"
import { checkLength, passBody, startsAsGzip } from "../bodies/body.ts"
import { contract } from "../contract/contract.ts"
import { ok } from "../../schemas/errors/rpc-error.ts"
import { responseError } from "../object-call.ts"
import { callSession } from "../sessions/session-call.ts"
import { type App, handle, json } from "../handle.ts"

/** The most bytes of an archive: everything that a workspace may contain, and the archive's headers. */
const ARCHIVE_LIMIT = 320 << 20

export const archiveRoutes = (app: App): void => {
  handle(
    app,
    contract.getArchive,
    Effect.fnUntraced(function* ({ params, query }, { request, session }) {
      const gzip = query.format === undefined ? mentionsGzip(request, "accept") : query.format === "tar.gz"
      const response = yield* callSession(session, params.id, async (stub) =>
        ok(await stub.fetch(archiveUrl(query.path, gzip))),
      )
      if (!response.ok) return yield* responseError(response)
      return new Response(response.body, {
        headers: {
          "content-type": gzip ? "application/gzip" : "application/x-tar",
          "content-disposition": `attachment; filename="workspace.tar${gzip ? ".gz" : ""}"`,
          "cache-control": "private, no-store",
        },
      })
    }),
  )

  handle(
    app,
    contract.putArchive,
    Effect.fnUntraced(function* ({ params, query }, { request, session }) {
      yield* checkLength(request, ARCHIVE_LIMIT)
      const { gzip, body: sent } = yield* archiveOf(request, query.format)
      const response = yield* passBody("session", sent, (body, signal) =>
        session(params.id).fetch(archiveUrl(query.path, gzip), { method: "PUT", body, signal }),
      )
      if (!response.ok) return yield* responseError(response)
      return json(200, yield* Effect.promise(() => response.json()))
    }),
  )
}

/** The archive's body, and whether it is gzipped according to the query, the content type or its first bytes. */
const archiveOf = Effect.fnUntraced(function* (request: Request, format: "tar" | "tar.gz" | undefined) {
  const { body } = request
  if (format !== undefined || body === null) return { gzip: format === "tar.gz", body }
  return mentionsGzip(request, "content-type") ? { gzip: true, body } : yield* startsAsGzip(body)
})

const mentionsGzip = (request: Request, header: string): boolean => /\bgzip\b/i.test(request.headers.get(header) ?? "")

const archiveUrl = (path = "/", gzip: boolean): string =>
  `http://session/archive?${new URLSearchParams({ path, format: gzip ? "tar.gz" : "tar" })}`
