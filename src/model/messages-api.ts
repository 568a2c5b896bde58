// The Messages API as one service: a request goes in, its raw stream events or the whole answer come out.
// Invariant: the API's answer is passed on unchanged, including unknown fields and types.
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Content } from "../schemas/sdk/messages/blocks.ts"
import type { ModelTimeouts } from "./live/model-timeouts.ts"

/** A body for `POST /v1/messages`; `stream` is set by the implementation. */
export interface MessagesRequest {
  readonly model: string
  readonly max_tokens: number
  /** The caller must not change the messages, `system` or `tools` in place afterwards. */
  readonly messages: ReadonlyArray<{ readonly role: "user" | "assistant"; readonly content: Content }>
  readonly system?: ReadonlyArray<object>
  readonly tools?: ReadonlyArray<Record<string, unknown>>
  readonly tool_choice?: Record<string, unknown>
  readonly thinking?: Record<string, unknown>
  readonly output_config?: Record<string, unknown>
  readonly metadata?: Record<string, unknown>
}

/** One event of the stream, raw. `type` is `message_start`, `content_block_delta`, … or something newer. */
export interface RawStreamEvent {
  readonly type: string
  readonly [key: string]: unknown
}

/** Per-request settings; the session id and the betas are sent as headers. */
export interface RequestContext {
  readonly sessionId: string
  readonly betas: ReadonlyArray<string>
  /** How long the request may take; the defaults apply when it is absent. */
  readonly timeouts?: ModelTimeouts
}

/** How a request failed. `status` is null without an HTTP answer (network, dropped stream). Never contains a key or a URL. */
export class ModelError extends Schema.TaggedError<ModelError>()("ModelError", {
  status: Schema.NullOr(Schema.Int),
  /** The API's error type (`overloaded_error` …) or `connection_error`. */
  type: Schema.String,
  message: Schema.String,
  requestId: Schema.NullOr(Schema.String),
  /** Milliseconds that the server asked us to wait, if it did. */
  retryAfterMs: Schema.NullOr(Schema.Finite),
  /** Whether the server asked for the request to be sent again (`x-should-retry`), if it sent that. */
  shouldRetry: Schema.optionalKey(Schema.Boolean),
  /** True when the stream had started (an error event, or a connection that dropped in the middle). */
  midStream: Schema.Boolean,
  /** The time limit that the request exceeded, if any. */
  timedOut: Schema.optionalKey(Schema.Literals(["first_byte", "idle", "total"])),
}) {}

/** An answer that has started: `requestId` is the API's `request-id` header. */
export interface OpenedStream {
  readonly requestId: string | null
  /** The next events, at least one, those of a network chunk together; null at the end. Calls must not overlap. */
  readonly next: Effect.Effect<ReadonlyArray<RawStreamEvent> | null, ModelError>
  /** True when the stream is known to break after the events that `next` returned last. */
  readonly breaks: () => boolean
}

/** An answer that was received without streaming. */
export interface CompletedAnswer {
  readonly requestId: string | null
  /** The API's own message object, with `content`, `stop_reason` and `usage`. */
  readonly message: Readonly<Record<string, unknown>>
}

export class MessagesApi extends Context.Service<
  MessagesApi,
  {
    /** Opens a stream for `use`, and aborts what is left of it when `use` ends, however it ends. Never retries. */
    stream<A, E, R>(
      request: MessagesRequest,
      context: RequestContext,
      use: (opened: OpenedStream) => Effect.Effect<A, E, R>,
    ): Effect.Effect<A, E | ModelError, R>
    /** Sends without streaming, as the fallback after a failed stream. Interrupting it aborts the request. Never retries. */
    complete(request: MessagesRequest, context: RequestContext): Effect.Effect<CompletedAnswer, ModelError>
  }
>()("perch/model/messages-api") {}
