// Receives a request; returns its JSON, and a hash that is the same for the same JSON however it was written.
// Invariant: no more than `limit` bytes are ever held, whatever `content-length` says.
import { Effect, Result } from "effect"
import { parseJson } from "../schemas/bounded-json.ts"
import { ApiError, invalidRequest } from "./errors.ts"

export const JSON_LIMIT = 1024 * 1024
export const FILE_LIMIT = 32 * 1024 * 1024

/** The body's bytes; more than `limit` is a `request_too_large`. */
export const readBytes = Effect.fnUntraced(function* (request: Request, limit: number) {
  yield* checkLength(request, limit)
  if (request.body === null) return new Uint8Array(0)
  const body = request.body
  const bytes = yield* Effect.tryPromise({
    try: () => collect(body, limit),
    catch: () => invalidRequest("The request body could not be read"),
  })
  return bytes === null ? yield* tooLarge(limit) : bytes
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

/** All chunks in one array, or null as soon as they are too many. */
const collect = async (body: ReadableStream<Uint8Array>, limit: number): Promise<Uint8Array | null> => {
  const reader = body.getReader()
  const chunks: Array<Uint8Array> = []
  let size = 0
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
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
