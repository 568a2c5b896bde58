// An answer of the Messages API as a recording stores it.
import * as Schema from "effect/Schema"
import { ModelError, type RawStreamEvent } from "../model/messages-api.ts"
import { AnyRecord, open } from "../schemas/sdk/open.ts"
import type { Json } from "./request-hash.ts"

const opt = Schema.optionalKey

/** The fields of a ModelError. */
const ErrorFields = Schema.Struct({
  status: Schema.NullOr(Schema.Int),
  type: Schema.String,
  message: Schema.String,
  requestId: Schema.NullOr(Schema.String),
  retryAfterMs: Schema.NullOr(Schema.Finite),
  shouldRetry: opt(Schema.Boolean),
  midStream: Schema.Boolean,
  timedOut: opt(Schema.Literals(["first_byte", "idle", "total"])),
})

/**
 * `message`: the answer was not streamed. `events`: it was streamed; deltas of a block are joined. `error` ended the stream
 * after these events, of which `last` came with the last network chunk; `breaks` is true when the break was known as that
 * chunk was delivered. `cut`: a client interrupted the turn there, or its process died.
 */
export const ModelAnswer = Schema.Struct({
  request_id: Schema.NullOr(Schema.String),
  message: opt(AnyRecord),
  // Unknown events are kept: every object with a type is an event.
  events: opt(Schema.Array(open({ type: Schema.String }))),
  error: opt(ErrorFields),
  last: opt(Schema.Int),
  breaks: opt(Schema.Boolean),
  cut: opt(Schema.Literals(["interrupted", "crashed"])),
})

export interface ModelAnswer {
  readonly request_id: string | null
  readonly message?: Readonly<Record<string, unknown>>
  readonly events?: ReadonlyArray<RawStreamEvent>
  readonly error?: typeof ErrorFields.Type
  readonly last?: number
  readonly breaks?: boolean
  readonly cut?: "interrupted" | "crashed"
}

const decode = Schema.decodeUnknownSync(ModelAnswer)

/** Decodes a recorded response; throws when no recorder wrote it. */
export const modelAnswerOf = (response: Json): ModelAnswer => decode(response)

export const errorFields = (error: ModelError): NonNullable<ModelAnswer["error"]> => ({
  status: error.status,
  type: error.type,
  message: error.message,
  requestId: error.requestId,
  retryAfterMs: error.retryAfterMs,
  ...(error.shouldRetry === undefined ? {} : { shouldRetry: error.shouldRetry }),
  midStream: error.midStream,
  ...(error.timedOut === undefined ? {} : { timedOut: error.timedOut }),
})

export const modelErrorOf = (fields: NonNullable<ModelAnswer["error"]>): ModelError => new ModelError(fields)
