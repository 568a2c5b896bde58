// Receives a request that a recording has no answer to; returns the error, with the difference to the nearest recorded request.
import * as Effect from "effect/Effect"
import { differenceText, firstDifference } from "./difference.ts"
import { RecordingNotFound } from "../recording-not-found.ts"
import type { AnswerKind, RecordingReader } from "../recording.ts"
import type { Json } from "../request-hash.ts"

const NAMES: Readonly<Record<AnswerKind, string>> = {
  model: "request to the model",
  tool: "call to the outside",
  hook: "hook",
  ask: "question",
  agent: "agent",
}

export interface Unanswered {
  readonly recording: string
  readonly kind: AnswerKind
  readonly hash: string
  readonly ordinal: number
  /** The normalised request, with its chunks expanded. */
  readonly request: Json
}

export const notRecorded = (
  reader: RecordingReader,
  { recording, kind, hash, ordinal, request }: Unanswered,
): Effect.Effect<RecordingNotFound> =>
  // For a request that is too long to send to the recording, the error has no difference.
  Effect.map(
    Effect.catchDefect(reader.nearest(kind, request), () => Effect.succeed(null)),
    (nearest) => {
      const found = nearest === null ? null : firstDifference(nearest.request, request)
      const again = found === null && nearest !== null && nearest.hash === hash
      const difference =
        found !== null
          ? differenceText(found)
          : again
            ? `the request was recorded, but fewer than ${ordinal + 1} times`
            : nearest !== null
              ? "the same request was recorded, in the form of another version of Perch"
              : `no ${NAMES[kind]} was recorded`
      const message = `RecordingNotFound: the recording ${recording} has no answer to this ${NAMES[kind]} (hash ${hash}).`
      return new RecordingNotFound({ recording, hash, message, difference })
    },
  )

/** The whole error as text, for a result or the model. */
export const failureText = ({ message, difference }: RecordingNotFound): string =>
  difference === undefined ? message : `${message}\n${difference}`
