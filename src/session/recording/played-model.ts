// The Messages API of a session that plays a recording.
// Invariant: no request is sent; an answer has the events that were recorded, and ends as it ended then.
import * as Effect from "effect/Effect"
import {
  type CompletedAnswer,
  type MessagesApi,
  type MessagesRequest,
  ModelError,
  type OpenedStream,
  type RequestContext,
} from "../../model/messages-api.ts"
import { type ModelAnswer, modelAnswerOf, modelErrorOf } from "../../recording/model-answer.ts"
import { ModelRequests, type RequestForm } from "../../recording/model-request.ts"
import { failureText } from "../../recording/missing/not-recorded.ts"
import type { RecordingNotFound } from "../../recording/recording-not-found.ts"
import { type HashedRequest, isUnanswered, type Json } from "../../recording/request-hash.ts"
import { batchesOf } from "../../recording/stream-answer.ts"
import { answerIdIn } from "./answers/answer-ids.ts"
import type { Played } from "./player.ts"
import type { WholeAnswers } from "./answers/whole-answers.ts"

/** Ends the turn as a client or a crash ended it. */
export type EndTurn = (how: NonNullable<ModelAnswer["cut"]>) => Effect.Effect<never>

type Find = (hash: string, whole: () => HashedRequest) => Effect.Effect<Played, RecordingNotFound>

export const playedModel = (find: Find, end: EndTurn, answers: Pick<WholeAnswers, "begin">): MessagesApi["Service"] => {
  const requests = new ModelRequests()
  const answerTo = (request: MessagesRequest, form: RequestForm): Effect.Effect<Played, ModelError> =>
    Effect.suspend(() =>
      // A new hasher returns every chunk, since it knows none.
      find(requests.hash(request, form).hash, () => new ModelRequests().hash(request, form)),
    ).pipe(Effect.mapError((error) => refused(failureText(error))))
  return {
    stream: <A, E, R>(
      request: MessagesRequest,
      { betas }: RequestContext,
      use: (opened: OpenedStream) => Effect.Effect<A, E, R>,
    ) =>
      Effect.flatMap(answerTo(request, { streams: true, betas }), (played): Effect.Effect<A, E | ModelError, R> => {
        if (isUnanswered(played.response)) return cut("interrupted", played, end)
        const answer = readable(played.response)
        if (answer === null) return Effect.fail(refused(NO_ANSWER))
        if (answer.events !== undefined) return use(openedStream(answer, played, end, answers))
        played.use()
        return Effect.fail(answer.error === undefined ? refused(NO_STREAM) : modelErrorOf(answer.error))
      }),
    complete: (request, { betas }) =>
      Effect.flatMap(
        answerTo(request, { streams: false, betas }),
        (played): Effect.Effect<CompletedAnswer, ModelError> => {
          if (isUnanswered(played.response)) return cut("interrupted", played, end)
          const answer = readable(played.response)
          if (answer === null) return Effect.fail(refused(NO_ANSWER))
          const { error, message, request_id: requestId } = answer
          played.use()
          if (message !== undefined) return Effect.succeed({ requestId, message })
          return Effect.fail(error === undefined ? refused(NO_STREAM) : modelErrorOf(error))
        },
      ),
  }
}

/** Null for an answer that no recorder wrote. */
const readable = (response: Json): ModelAnswer | null => {
  try {
    return modelAnswerOf(response)
  } catch {
    // A recording's file can be changed before it is uploaded.
    return null
  }
}

const NO_ANSWER = "RecordingNotFound: the recorded answer can't be read."

const NO_STREAM = "The recorded answer has another form than the one that is requested now."

/** An error with a status that is never retried. */
const refused = (message: string): ModelError =>
  new ModelError({
    status: 422,
    type: "recording_not_found",
    message,
    requestId: null,
    retryAfterMs: null,
    midStream: false,
  })

const openedStream = (
  answer: ModelAnswer,
  played: Played,
  end: EndTurn,
  answers: Pick<WholeAnswers, "begin">,
): OpenedStream => {
  const { request_id: requestId, events = [], error, breaks = false, last = 0, cut: how } = answer
  // The calls of a complete answer start after its end.
  const isWhole = error === undefined && how === undefined
  const id = answerIdIn(events)
  if (isWhole && id !== undefined) answers.begin(id)
  const batches = [...batchesOf(events, error === undefined ? null : breaks ? last : 0)]
  return {
    requestId,
    breaks: () => (breaks || isWhole) && batches.length === 0,
    next: Effect.suspend(() => {
      const batch = batches.shift()
      if (how === undefined && batches.length === 0 && batch !== undefined) played.use()
      if (batch !== undefined) return Effect.succeed(batch)
      if (error !== undefined) return Effect.fail(modelErrorOf(error))
      return how === undefined ? Effect.succeed(null) : cut(how, played, end)
    }),
  }
}

/** Ends the turn here, as it ended when it was recorded. */
const cut = (how: NonNullable<ModelAnswer["cut"]>, played: Played, end: EndTurn): Effect.Effect<never> =>
  Effect.suspend(() => {
    played.use()
    return end(how)
  })
