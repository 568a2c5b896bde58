// Receives a request; returns its body as JSON or bytes, and a hash that does not depend on how the JSON is formatted.
// Invariant: no more than `limit` bytes are ever in memory, whatever `content-length` claims.
import { createHash } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { parseClientJson } from "../../schemas/json/client-json.ts"
import { compressedBody, notJson } from "./json-faults.ts"
import { ApiError, invalidField, invalidRequest } from "../errors/errors.ts"
import { joinBytes } from "../../net/join-bytes.ts"
import { fromObject, type Named } from "../object-call.ts"

export const JSON_LIMIT = 1024 * 1024
export const FILE_LIMIT = 32 * 1024 * 1024

/** How long to wait for the next piece of a body, in milliseconds. */
const STALLED_MS = 30_000

const unreadable = (): ApiError => invalidRequest("The request body could not be read")

const stalled = (): ApiError =>
  new ApiError({
    type: "request_timeout_error",
    message: `The request body stalled for ${STALLED_MS / 1000} seconds. Nothing of it was stored; send it again.`,
  })

type Reader = ReadableStreamDefaultReader<Uint8Array>

/** The next piece of a body; null when its sender stalls, in which case the body is cancelled. */
const nextOf = async (reader: Reader): Promise<Awaited<ReturnType<Reader["read"]>> | null> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), STALLED_MS)
  })
  const next = await Promise.race([reader.read(), late]).finally(() => clearTimeout(timer))
  // The cancellation may never reach a sender that stalls, so it is not awaited.
  if (next === null) void reader.cancel().catch(() => undefined)
  return next
}

/**
 * Relays a request's body to an object as it arrives; one that stalls is a `request_timeout_error`, whatever the receiver answers. A body
 * that breaks off aborts `signal` and never ends, because a receiver would take a failed stream for a complete body.
 */
export const passBody = (
  named: Named,
  body: ReadableStream<Uint8Array> | null,
  send: (body: ReadableStream<Uint8Array> | null, signal: AbortSignal) => Promise<Response>,
): Effect.Effect<Response, ApiError> => {
  const broken = new AbortController()
  if (body === null) return fromObject(named, () => send(null, broken.signal))
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
        if (next === "broken") return breakOff(unreadable())
        if (next.done) out.close()
        else out.enqueue(next.value)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
  return Effect.flatMap(Effect.exit(fromObject(named, () => send(stream, broken.signal))), (sent) =>
    failure === undefined ? sent : Effect.fail(failure),
  )
}

/** Whether a body starts with gzip's magic bytes; also returns the complete body. */
export const startsAsGzip = (
  body: ReadableStream<Uint8Array>,
): Effect.Effect<{ readonly gzip: boolean; readonly body: ReadableStream<Uint8Array> }, ApiError> =>
  Effect.tryPromise({
    try: async () => {
      const reader = body.getReader()
      const head: Array<Uint8Array> = []
      let size = 0
      while (size < 2) {
        const next = await nextOf(reader)
        if (next === null) throw stalled()
        if (next.done) break
        head.push(next.value)
        size += next.value.byteLength
      }
      const [first, second] = head.flatMap((chunk) => [...chunk.subarray(0, 2)])
      const stream = new ReadableStream<Uint8Array>(
        {
          pull: async (out) => {
            const waiting = head.shift()
            if (waiting !== undefined) return out.enqueue(waiting)
            const next = await reader.read()
            return next.done ? out.close() : out.enqueue(next.value)
          },
          cancel: (reason) => reader.cancel(reason),
        },
        { highWaterMark: 0 },
      )
      return { gzip: first === 0x1f && second === 0x8b, body: stream }
    },
    catch: (cause) => (cause instanceof ApiError ? cause : unreadable()),
  })

/** The body's bytes; more than `limit` is a `request_too_large`. */
export const readBytes = Effect.fnUntraced(function* (request: Request, limit: number) {
  yield* checkLength(request, limit)
  if (request.body === null) return new Uint8Array(0)
  const chunks: Array<Uint8Array> = []
  yield* receive(request.body, limit, (chunk) => chunk !== null && chunks.push(chunk), unreadable)
  return joinBytes(chunks)
})

/** Refuses a `content-length` above the limit, before anything is read. */
export const checkLength = (request: Request, limit: number): Effect.Effect<void, ApiError> =>
  Number(request.headers.get("content-length") ?? 0) > limit ? tooLarge(limit) : Effect.void

/**
 * The body as JSON. An empty body is an empty object, but is refused where it would replace what is stored. While it arrives,
 * only its text is kept in memory.
 */
export const readJson = Effect.fnUntraced(function* (request: Request, limit: number = JSON_LIMIT) {
  yield* checkLength(request, limit)
  const compressed = compressedBody(request.headers, "JSON")
  if (compressed !== undefined) return yield* compressed
  if (request.body === null) return yield* nothing(request)
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false })
  let text = ""
  const decode = (chunk: Uint8Array | null) => {
    text += chunk === null ? decoder.decode() : decoder.decode(chunk, { stream: true })
  }
  // The decoder throws a TypeError for bytes that are not UTF-8.
  yield* receive(request.body, limit, decode, (cause) =>
    cause instanceof TypeError ? notJson(request, "") : unreadable(),
  )
  if (text.trim() === "") return yield* nothing(request)
  const value = parseClientJson(text)
  if (Result.isSuccess(value)) return value.success
  const { fault, message, field } = value.failure
  if (fault === "syntax") return yield* notJson(request, text)
  return yield* field === undefined
    ? invalidRequest(`The request body ${message}`)
    : invalidField(field, fault === "repeated" ? "is in the request body twice. Send it once." : message)
})

const nothing = ({ method }: Request): Effect.Effect<object, ApiError> =>
  method === "PUT"
    ? Effect.fail(invalidRequest("The request body is missing. PUT replaces everything: send all of it."))
    : Effect.succeed({})

/**
 * Passes the chunks of a body to `take` as they arrive, and then null. Fails when its sender stalls or it exceeds the limit;
 * `refusal` is the error when it can't be read, or `take` throws.
 */
const receive = Effect.fnUntraced(function* (
  body: ReadableStream<Uint8Array>,
  limit: number,
  take: (chunk: Uint8Array | null) => unknown,
  refusal: (cause: unknown) => ApiError,
) {
  const end = yield* Effect.tryPromise({
    try: async () => {
      const reader = body.getReader()
      let size = 0
      for (;;) {
        const next = await nextOf(reader)
        if (next === null) return "stalled"
        size += next.value?.byteLength ?? 0
        if (size > limit) {
          await reader.cancel()
          return "too_large"
        }
        take(next.value ?? null)
        if (next.done) return "complete"
      }
    },
    catch: refusal,
  })
  if (end === "stalled") return yield* stalled()
  if (end === "too_large") return yield* tooLarge(limit)
})

/**
 * SHA-256 (hex) of the values. JSON values are hashed by content: key order and spacing do not matter. They are hashed piece
 * by piece, because a second copy of a large body would not fit into memory.
 */
export const fingerprint = (...values: ReadonlyArray<unknown>): string => {
  const hash = createHash("sha256")
  let waiting = ""
  writeCanonical(values, (piece) => {
    waiting += piece
    if (waiting.length < HASHED_AT_ONCE) return
    hash.update(waiting)
    waiting = ""
  })
  return hash.update(waiting).digest("hex")
}

const HASHED_AT_ONCE = 64 * 1024

const tooLarge = (limit: number): Effect.Effect<never, ApiError> =>
  Effect.fail(new ApiError({ type: "request_too_large", message: tooLargeMessage(limit) }))

/** A message with the limit, and where to put larger content. */
const tooLargeMessage = (limit: number): string =>
  `The request body is larger than ${limit} bytes (${limit / 1024 / 1024} MiB). ${
    limit === FILE_LIMIT
      ? "This is the maximum size of a file in the workspace: split it."
      : "Write large content into the session's workspace (`PUT /v1/sessions/{id}/files/{path}`, or many files as an archive with `PUT /v1/sessions/{id}/archive`) and name the path in the prompt."
  }`

/** Writes JSON with sorted keys. */
const writeCanonical = (value: unknown, write: (piece: string) => void): void => {
  if (typeof value !== "object" || value === null) return write(JSON.stringify(value) ?? "null")
  if (Array.isArray(value)) {
    write("[")
    for (const [index, item] of value.entries()) {
      if (index > 0) write(",")
      writeCanonical(item, write)
    }
    return write("]")
  }
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  fields.sort(([a], [b]) => (a < b ? -1 : 1))
  write("{")
  for (const [index, [key, field]] of fields.entries()) {
    write(`${index > 0 ? "," : ""}${JSON.stringify(key)}:`)
    writeCanonical(field, write)
  }
  write("}")
}
