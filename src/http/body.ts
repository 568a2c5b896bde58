// Receives a request; returns its JSON, and a hash that is the same for the same JSON however it was written.
// Invariant: no more than `limit` bytes are ever held, whatever `content-length` says.
import { Effect, Result } from "effect"
import { parseJson } from "../schemas/bounded-json.ts"
import { ApiError, invalidRequest } from "./errors.ts"

export const JSON_LIMIT = 1024 * 1024
export const FILE_LIMIT = 32 * 1024 * 1024

/** A body of which nothing comes for so long is not waited for any more. */
const STALLED_MS = 30_000

const stalled = (): ApiError =>
  new ApiError({
    type: "request_timeout_error",
    message: `Nothing of the request body came for ${STALLED_MS / 1000} seconds. Nothing of it was kept; send it again.`,
  })

type Reader = ReadableStreamDefaultReader<Uint8Array>

/** The next piece of a body, or null when it stalls: its sender is then not listened to any more. */
const nextOf = async (reader: Reader): Promise<Awaited<ReturnType<Reader["read"]>> | null> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), STALLED_MS)
  })
  const next = await Promise.race([reader.read(), late]).finally(() => clearTimeout(timer))
  // Who stalls may never hear of it: nothing waits for that.
  if (next === null) void reader.cancel().catch(() => undefined)
  return next
}

/**
 * Sends a request's body on as it comes; one that stalls is a `request_timeout_error`, whatever came of it. A body that
 * breaks off aborts `signal` and never ends: the other side of a stream that fails would take what it has for all of it.
 */
export const passBody = (
  body: ReadableStream<Uint8Array> | null,
  send: (body: ReadableStream<Uint8Array> | null, signal: AbortSignal) => Promise<Response>,
): Effect.Effect<Response, ApiError> => {
  const broken = new AbortController()
  if (body === null) return Effect.promise(() => send(null, broken.signal))
  const reader = body.getReader()
  let failure: ApiError | undefined
  const breakOff = (error: ApiError) => {
    failure = error
    broken.abort()
    return new Promise<void>(() => undefined)
  }
  const stream = new ReadableStream<Uint8Array>(
    {
      pull: async (out) => {
        const next = await nextOf(reader).catch(() => "broken" as const)
        if (next === null) return breakOff(stalled())
        if (next === "broken") return breakOff(invalidRequest("The request body could not be read"))
        if (next.done) out.close()
        else out.enqueue(next.value)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
  return Effect.flatMap(Effect.exit(Effect.promise(() => send(stream, broken.signal))), (sent) =>
    failure === undefined ? sent : Effect.fail(failure),
  )
}

/** The body's bytes; more than `limit` is a `request_too_large`. */
export const readBytes = Effect.fnUntraced(function* (request: Request, limit: number) {
  yield* checkLength(request, limit)
  if (request.body === null) return new Uint8Array(0)
  const body = request.body
  const bytes = yield* Effect.tryPromise({
    try: () => collect(body, limit),
    catch: () => invalidRequest("The request body could not be read"),
  })
  if (bytes === "stalled") return yield* stalled()
  return bytes ?? (yield* tooLarge(limit))
})

/** Refuses a declared length above the limit before anything is read. */
export const checkLength = (request: Request, limit: number): Effect.Effect<void, ApiError> =>
  Number(request.headers.get("content-length") ?? 0) > limit ? tooLarge(limit) : Effect.void

/** The body as JSON; no body at all is an empty object. */
export const readJson = Effect.fnUntraced(function* (request: Request) {
  const bytes = yield* readBytes(request, JSON_LIMIT)
  if (bytes.byteLength === 0) return {}
  const text = yield* Effect.try({
    try: () => new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes),
    catch: () => invalidRequest("The request body is not valid JSON"),
  })
  const value = parseJson(text)
  return Result.isSuccess(value) ? value.success : yield* invalidRequest(`The request body ${value.failure.message}`)
})

/** SHA-256 (hex) of the words. JSON values among them count by content: key order and spacing do not matter. */
export const fingerprint = async (...words: ReadonlyArray<unknown>): Promise<string> => {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(canonical(words)))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("")
}

const tooLarge = (limit: number): Effect.Effect<never, ApiError> =>
  Effect.fail(new ApiError({ type: "request_too_large", message: `The request body is larger than ${limit} bytes` }))

/** All chunks in one array, or null as soon as they are too many; or word of it that no more come. */
const collect = async (body: ReadableStream<Uint8Array>, limit: number): Promise<Uint8Array | "stalled" | null> => {
  const reader = body.getReader()
  const chunks: Array<Uint8Array> = []
  let size = 0
  for (;;) {
    const next = await nextOf(reader)
    if (next === null) return "stalled"
    if (next.done) break
    size += next.value.byteLength
    if (size > limit) {
      await reader.cancel()
      return null
    }
    chunks.push(next.value)
  }
  const bytes = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.byteLength
  }
  return bytes
}

/** JSON with sorted keys. */
const canonical = (value: unknown): string => {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null"
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  fields.sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${canonical(field)}`).join(",")}}`
}
