// Decodes the values of a recording for a session.
// Invariant: a recording may come from a file that was edited: a value that does not decode is a defect of the turn.
import * as Schema from "effect/Schema"
import type { AskAnswer } from "../../agent/ports.ts"
import type { Json } from "../../recording/request-hash.ts"
import { RecordingNotFound } from "../../recording/recording-not-found.ts"
import { AnyRecord } from "../../schemas/sdk/open.ts"
import { SavedApproval } from "../../schemas/permissions-saved.ts"
import { Registration } from "../storage/meta.ts"

const RecordedAskAnswer = Schema.Struct({
  by: Schema.Literals(["client", "hook", "expiry", "interrupt", "failure"]),
  answer: AnyRecord,
  reply: Schema.optionalKey(Schema.Literals(["once", "always", "reject"])),
  saved: Schema.optionalKey(Schema.Array(SavedApproval)),
  /** Notification hooks were fired before the answer came. */
  notified: Schema.Boolean,
})
export type RecordedAskAnswer = typeof RecordedAskAnswer.Type & AskAnswer

export const askAnswerOf: (response: Json) => RecordedAskAnswer = Schema.decodeUnknownSync(RecordedAskAnswer)

export const registrationOf: (response: Json) => Registration = Schema.decodeUnknownSync(Registration)

const LostCall = Schema.Struct({ tool_use_id: Schema.String })
export const lostCallOf: (response: Json) => typeof LostCall.Type = Schema.decodeUnknownSync(LostCall)

const Failure = Schema.fromJsonString(
  Schema.Struct({
    recording: Schema.String,
    hash: Schema.String,
    message: Schema.String,
    difference: Schema.optionalKey(Schema.String),
  }),
)
const decodeFailure = Schema.decodeUnknownSync(Failure)

/** A failure as the JSON of a row, and back. */
export const failureJson = ({ recording, hash, message, difference }: RecordingNotFound): string =>
  JSON.stringify({ recording, hash, message, difference })
export const failureOf = (json: string): RecordingNotFound => new RecordingNotFound(decodeFailure(json))
