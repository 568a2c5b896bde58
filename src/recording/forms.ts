// How answers of hooks and fetches are written to a recording and read from it, and the requests under which they are found.
// Invariant: an answer is read as it was written, failures included; the values of secret headers are never written.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { HookEntry } from "../hooks/registry.ts"
import { type HookCall, HookFailure } from "../hooks/runner.ts"
import { type Fetched, FetchError, type FetchOrder } from "../net/guarded-fetch.ts"
import type { AnswerForm } from "./capture.ts"
import type { Json } from "./request-hash.ts"

/** A value as JSON; parts that JSON can't represent are left out. */
export const jsonOf = (value: unknown): Json =>
  // What `JSON.parse` returns is JSON.
  value === undefined ? null : (JSON.parse(JSON.stringify(value)) as Json)

/** Identifies a hook by its callback's id, or an HTTP hook by its position, since addresses may contain secrets. */
export const hookRequest = ({ entry, event, input, toolUseId }: HookCall): Json =>
  jsonOf({ event, hook: placeOf(entry), tool_use_id: toolUseId, input: { ...input, transcript_path: undefined } })

const placeOf = ({ kind, id, callbackId }: HookEntry) => ({ kind, id, callbackId })

const HookAnswer = Schema.Union([
  Schema.Struct({ answer: Schema.Unknown }),
  Schema.Struct({ failure: Schema.Struct({ kind: HookFailure.fields.kind, message: Schema.String }) }),
])
const decodeHookAnswer = Schema.decodeUnknownEffect(HookAnswer)

export const hookForm: AnswerForm<unknown, HookFailure> = {
  write: (answer) =>
    Result.isSuccess(answer)
      ? { answer: jsonOf(answer.success) }
      : { failure: { kind: answer.failure.kind, message: answer.failure.message } },
  read: (response) =>
    Effect.flatMap(Effect.orDie(decodeHookAnswer(response)), (read) =>
      "failure" in read ? Effect.fail(new HookFailure(read.failure)) : Effect.succeed(read.answer),
    ),
  missing: ({ message }) => Effect.fail(new HookFailure({ kind: "threw", message })),
}

/** Matches the name of a header whose value is not recorded. */
const SECRET = /auth|cookie|key|token|secret/i

/** Identifies a fetch by all that is sent, except the values of secret headers. */
export const fetchRequest = (url: string, { method = "GET", headers = {}, body }: FetchOrder): Json => ({
  fetch: url,
  method,
  headers: Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, SECRET.test(name) ? "(secret)" : value]),
  ),
  ...(body === undefined ? {} : { body: typeof body === "string" ? body : Buffer.from(body).toString("base64") }),
})

const FetchAnswer = Schema.Union([
  Schema.Struct({
    url: Schema.String,
    status: Schema.Int,
    statusText: Schema.String,
    headers: Schema.Array(Schema.Tuple([Schema.String, Schema.String])),
    base64: Schema.String,
    cut: Schema.Boolean,
    redirect: Schema.optionalKey(Schema.String),
  }),
  Schema.Struct({ failure: Schema.Struct({ kind: FetchError.fields.kind, message: Schema.String }) }),
])
const decodeFetchAnswer = Schema.decodeUnknownEffect(FetchAnswer)

export const fetchForm: AnswerForm<Fetched, FetchError> = {
  write: (answer) => {
    if (Result.isFailure(answer)) return { failure: { kind: answer.failure.kind, message: answer.failure.message } }
    const { bytes, headers, ...rest } = answer.success
    const shown = [...headers].filter(([name]) => !SECRET.test(name))
    return { ...rest, headers: shown, base64: Buffer.from(bytes).toString("base64") }
  },
  read: (response) =>
    Effect.flatMap(Effect.orDie(decodeFetchAnswer(response)), (read) => {
      if ("failure" in read) return Effect.fail(new FetchError(read.failure))
      const { base64, headers, ...rest } = read
      return Effect.succeed({
        ...rest,
        headers: new Headers(headers.map(([name, value]): [string, string] => [name, value])),
        bytes: new Uint8Array(Buffer.from(base64, "base64")),
      })
    }),
  missing: ({ message }) => Effect.fail(new FetchError({ kind: "failed", message })),
}
