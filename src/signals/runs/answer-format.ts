// Receives an agent; returns the output format for its session's answer. Receives the `result` of its turn; returns the
// signals in it.
// Invariant: an answer in this format contains only signals that the agent declares, each with a payload of its JSON Schema.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { OutputFormat } from "../../schemas/sdk/options/options.ts"
import { Emitted } from "../../schemas/signal.ts"
import { textField } from "../../schemas/json/text-field.ts"
import type { AgentTurn } from "../agent.ts"
import { AgentError } from "../errors.ts"
import { type AnySignalDefinition, nameOf } from "../signal.ts"

type JsonSchema = Readonly<Record<string, unknown>>

/** The format `{signals: [{name, payload}]}` with the signals that the agent declares. */
export const answerFormat = ({ emits }: Pick<AgentTurn, "emits">): OutputFormat => {
  const definitions: Record<string, unknown> = {}
  const signals = emits.map((emit): JsonSchema => {
    const payload = typeof emit === "string" ? { type: "object" } : payloadSchema(emit, definitions)
    return {
      type: "object",
      properties: { name: { type: "string", enum: [nameOf(emit)] }, payload },
      required: ["name", "payload"],
      additionalProperties: false,
    }
  })
  const item = signals.length === 1 ? signals[0] : { anyOf: signals }
  return {
    type: "json_schema",
    schema: {
      type: "object",
      properties: { signals: { type: "array", items: item } },
      required: ["signals"],
      additionalProperties: false,
      ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions }),
    },
  }
}

/** The JSON Schema of a signal's payload; the schemas that it refers to are added to `definitions`. */
const payloadSchema = ({ schema }: AnySignalDefinition, definitions: Record<string, unknown>): JsonSchema => {
  const document = Schema.toJsonSchemaDocument(Schema.toCodecJson(schema))
  Object.assign(definitions, document.definitions)
  return document.schema
}

const Answer = Schema.Struct({ signals: Schema.Array(Emitted) })
const decodeAnswer = Schema.decodeUnknownEffect(Answer)

/** The signals of a turn's `result`, which is null for a cancelled turn. Fails for a turn that did not succeed. */
export const signalsOf = Effect.fnUntraced(function* (
  result: Readonly<Record<string, unknown>> | null,
  { name, emits }: Pick<AgentTurn, "name" | "emits">,
): Effect.fn.Return<ReadonlyArray<Emitted>, AgentError> {
  const fail = (message: string, cause?: unknown) =>
    new AgentError({ agent: name, message, ...(cause === undefined ? {} : { cause }) })
  if (result === null) return yield* fail(`The turn of ${name} was cancelled before it ran.`)
  if (result["subtype"] !== "success" || result["is_error"] === true) {
    return yield* fail(`The turn of ${name} failed: ${reasonOf(result)}`)
  }
  if (emits.length === 0) return []
  const { signals } = yield* Effect.mapError(decodeAnswer(result["structured_output"]), (cause) =>
    fail(`The answer of ${name} contains no signals: ${cause.message}`, cause),
  )
  return signals
})

const reasonOf = ({ subtype, result, errors, terminal_reason: end }: Readonly<Record<string, unknown>>): string => {
  // In this case, the result itself only has a diagnostic line.
  if (typeof end === "string" && end.startsWith("aborted")) return "it was interrupted in its session."
  const list = Array.isArray(errors) ? errors.filter((error) => typeof error === "string") : []
  if (list.length > 0) return list.join("; ").slice(0, 2000)
  return typeof result === "string" && result !== "" ? result.slice(0, 2000) : String(subtype)
}

/** A turn's answer as text: its structured output as JSON, or its last text. */
export const outputOf = (result: Readonly<Record<string, unknown>> | null): string => {
  const value = result?.["structured_output"]
  if (value !== undefined) return JSON.stringify(value)
  return textField(result, "result")
}
