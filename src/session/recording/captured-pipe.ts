// The transport to an MCP server, recorded or played back.
// Invariant: a request is identified by its server, method and parameters, without its id and `_meta`. The initialization and
// lists may be requested again.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type McpPipe, McpPipeError } from "../../mcp/client-server.ts"
import { failed, RemoteError } from "../../mcp/remote/remote-error.ts"
import type { PipeCapture } from "../../mcp/remote/remote-pipe.ts"
import type { AnswerForm } from "../../recording/capture.ts"
import { jsonOf } from "../../recording/forms.ts"
import type { Json } from "../../recording/request-hash.ts"
import { JsonRpcMessage } from "../../schemas/sdk/options/mcp-config.ts"
import type { SessionCapture } from "./session-capture.ts"

type Capture = Pick<SessionCapture, "exchange" | "sends">

/** Requests that change nothing, and are sent whenever a server is connected. */
const REPEATED: ReadonlySet<string> = new Set(["initialize", "tools/list", "prompts/list", "resources/list"])

const Answer = Schema.Union([
  Schema.Struct({ message: Schema.NullOr(JsonRpcMessage) }),
  Schema.Struct({ failure: Schema.Struct({ message: Schema.String, kind: Schema.optionalKey(Schema.String) }) }),
])
const decodeAnswer = Schema.decodeUnknownEffect(Answer)

interface Failing {
  readonly message: string
  readonly kind?: string
}

/** `failureOf` makes the pipe's own failure. */
const captured = <E extends Failing>(
  { exchange, sends }: Capture,
  server: string,
  message: JsonRpcMessage,
  send: Effect.Effect<JsonRpcMessage | null, E>,
  failureOf: (failing: Failing) => E,
): Effect.Effect<JsonRpcMessage | null, E> => {
  // A notification, or a response to the server, has no answer.
  if (!("method" in message) || message.id === undefined) return sends ? send : Effect.succeed(null)
  const { id, method, params } = message
  const form: AnswerForm<JsonRpcMessage | null, E> = {
    write: (answer) =>
      Result.isSuccess(answer)
        ? { message: jsonOf(answer.success) }
        : { failure: jsonOf({ message: answer.failure.message, kind: answer.failure.kind }) },
    read: (response) =>
      Effect.flatMap(Effect.orDie(decodeAnswer(response)), (read) =>
        "failure" in read ? Effect.fail(failureOf(read.failure)) : Effect.succeed(withId(read.message, id)),
      ),
    missing: ({ message: why }) => Effect.fail(failureOf({ message: why })),
    ...(REPEATED.has(method) ? { repeats: true as const } : {}),
  }
  return exchange("tool", requestOf(server, method, params), form, send)
}

const requestOf = (server: string, method: string, params: unknown): Json => {
  const plain = jsonOf(params)
  if (typeof plain !== "object" || plain === null || Array.isArray(plain)) return { mcp: server, method }
  // Of JSON, only objects are left.
  const { _meta: _, ...rest } = plain as Readonly<Record<string, Json>>
  return { mcp: server, method, params: rest }
}

const withId = (message: JsonRpcMessage | null, id: string | number): JsonRpcMessage | null =>
  message === null || "method" in message ? message : { ...message, id }

/** The pipe to a server of a client. */
export const capturedPipe = (server: string, pipe: McpPipe, capture: Capture): McpPipe => ({
  ...pipe,
  send: (message, timeoutMs) =>
    captured(
      capture,
      server,
      message,
      pipe.send(message, timeoutMs),
      ({ message: why }) => new McpPipeError({ message: why }),
    ),
})

/** The same for a remote server. */
export const pipeCapture =
  (server: string, capture: Capture): PipeCapture =>
  (message, send) =>
    captured(capture, server, message, send, ({ kind, message: why }) =>
      kind === "unauthorized" ? new RemoteError({ kind, message: why }) : failed(why),
    )
