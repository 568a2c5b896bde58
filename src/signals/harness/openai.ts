// The harness for OpenAI's chat completions, and for any server with the same protocol.
// Invariant: an incomplete answer (cut at a limit, withheld, interrupted) is an error, never a shorter text.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { lost } from "../../model/live/live-errors.ts"
import type { ModelError } from "../../model/messages-api.ts"
import { parseJson } from "../../schemas/bounded-json.ts"
import { HarnessService } from "../harness.ts"
import { accessFault } from "./access-fault.ts"
import { environment } from "./environment.ts"
import { modelHarness, type Question, type TextModel } from "./model-harness.ts"
import type { AskingOptions } from "./options.ts"
import { type CompletionBody, type Exchange, OpenAiServer } from "./openai-server.ts"
import { notSetUp, unfinished } from "./unfinished.ts"

export interface OpenAIHarnessOptions extends AskingOptions {
  readonly model: string
  /** Default: `OPENAI_API_KEY` of the environment. */
  readonly apiKey?: string
  /** The address without `/chat/completions`. Default: `OPENAI_BASE_URL` of the environment, or else OpenAI's own. */
  readonly baseUrl?: string
  /** Maximum tokens of an answer, including reasoning, sent as `max_completion_tokens`. Default: the server's own limit. */
  readonly maxTokens?: number
}

const OPENAI = "https://api.openai.com/v1"

/** OpenAI with your own API key, or a server with the same protocol, which may need no key. */
export const OpenAIHarness = (options: OpenAIHarnessOptions): Layer.Layer<HarnessService> =>
  Layer.sync(HarnessService, () => modelHarness(textModel(options), options))

const textModel = (options: OpenAIHarnessOptions): TextModel => {
  const { model, maxTokens } = options
  const server = serverOf(options)
  const bodyOf = ({ prompt, model: asked }: Question, stream: boolean): CompletionBody => ({
    model: asked,
    messages: [{ role: "user", content: prompt }],
    stream,
    ...(maxTokens === undefined ? {} : { max_completion_tokens: maxTokens }),
  })
  const limit = maxTokens ?? null
  return {
    name: "OpenAI",
    model,
    whole: (question) =>
      Effect.flatMap(server, (found) =>
        Effect.scoped(
          Effect.flatMap(found.send(bodyOf(question, false), question.timeouts), (exchange) =>
            Effect.flatMap(exchange.text, (text) => answerOf(text, limit, exchange)),
          ),
        ),
      ),
    pieces: (question) =>
      Stream.unwrap(
        Effect.map(
          Effect.flatMap(server, (found) => found.send(bodyOf(question, true), question.timeouts)),
          (exchange) => piecesOf(exchange, limit),
        ),
      ),
  }
}

/** The server that the options name. Fails if they have no key and no address, or invalid ones. */
const serverOf = (options: OpenAIHarnessOptions): Effect.Effect<OpenAiServer, ModelError> => {
  const apiKey = (options.apiKey ?? environment("OPENAI_API_KEY"))?.trim()
  const baseUrl = options.baseUrl ?? environment("OPENAI_BASE_URL")
  const fault =
    apiKey === undefined && baseUrl === undefined
      ? "OpenAIHarness has no API key. Pass `apiKey`, or set OPENAI_API_KEY."
      : accessFault("OpenAIHarness", { apiKey, baseUrl })
  return fault === null ? Effect.succeed(new OpenAiServer(baseUrl ?? OPENAI, apiKey)) : Effect.fail(notSetUp(fault))
}

/** The fields of an answer that are read; servers may add other fields. */
const Answer = Schema.Struct({
  choices: Schema.Array(
    Schema.Struct({
      message: Schema.Struct({
        content: Schema.optionalKey(Schema.NullOr(Schema.String)),
        refusal: Schema.optionalKey(Schema.NullOr(Schema.String)),
      }),
      finish_reason: Schema.optionalKey(Schema.NullOr(Schema.String)),
    }),
  ),
})

/** The fields of a stream event that are read; the last event may have usage and no choice. */
const Piece = Schema.Struct({
  choices: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        delta: Schema.optionalKey(
          Schema.Struct({
            content: Schema.optionalKey(Schema.NullOr(Schema.String)),
            refusal: Schema.optionalKey(Schema.NullOr(Schema.String)),
          }),
        ),
        finish_reason: Schema.optionalKey(Schema.NullOr(Schema.String)),
      }),
    ),
  ),
})

const decodeAnswer = Schema.decodeUnknownOption(Answer)
const decodePiece = Schema.decodeUnknownOption(Piece)

const answerOf = (
  text: string,
  maxTokens: number | null,
  { requestId }: Exchange,
): Effect.Effect<string, ModelError> => {
  const choice = Option.flatMap(Result.getSuccess(parseJson(text)), decodeAnswer).pipe(
    Option.flatMap(({ choices }) => Option.fromUndefinedOr(choices[0])),
    Option.getOrUndefined,
  )
  if (choice === undefined)
    return Effect.fail(lost("The model's answer was not a chat completion.", { requestId, midStream: false }))
  const { content, refusal } = choice.message
  const reason = refusal ? "refusal" : (choice.finish_reason ?? null)
  const error = unfinished(reason, maxTokens, requestId)
  return error === null ? Effect.succeed(content ?? "") : Effect.fail(error)
}

/** The texts of a streamed answer. Fails if the stream ends before the answer is complete. */
const piecesOf = (exchange: Exchange, maxTokens: number | null): Stream.Stream<string, ModelError> =>
  Stream.filter(
    Stream.unfold(false, (ended) => (ended ? Effect.succeed(undefined) : nextText(exchange, maxTokens))),
    (text) => text !== "",
  )

/** The next text, and whether it is the last one. */
const nextText = Effect.fnUntraced(function* (
  { next, finish, requestId }: Exchange,
  maxTokens: number | null,
): Effect.fn.Return<readonly [string, boolean] | undefined, ModelError> {
  for (let event = yield* next; event !== null; event = yield* next) {
    const [choice] = Option.getOrUndefined(decodePiece(event))?.choices ?? []
    const text = choice?.delta?.content ?? ""
    const reason = choice?.delta?.refusal ? "refusal" : (choice?.finish_reason ?? null)
    const error = unfinished(reason, maxTokens, requestId)
    if (error !== null) return yield* error
    if (reason !== null) yield* finish
    if (text !== "" || reason !== null) return [text, reason !== null]
  }
  return yield* lost("The model's answer was interrupted.", { requestId, midStream: true })
})
