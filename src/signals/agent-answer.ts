// Receives an agent and its prompt; returns the text for the model. Receives the model's answer; returns the signals in it.
// Invariant: the parser accepts every answer that the text permits.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { parseJson } from "../schemas/bounded-json.ts"
import { isPlainObject } from "../schemas/plain-object.ts"
import type { Emitted } from "../schemas/signal.ts"
import type { AgentTurn } from "./agent.ts"
import { AgentError } from "./errors.ts"
import { type AnySignalDefinition, nameOf } from "./signal.ts"

/** The prompt with instructions for the answer's format; only the prompt for an agent that emits no signals. */
export const agentPrompt = (prompt: string, { emits }: AgentTurn): string => {
  if (emits.length === 0) return prompt
  const lines = [
    'Answer with JSON alone, in this shape: {"signals":[{"name":NAME,"payload":PAYLOAD}]}.',
    "The list may be empty. Each NAME is one of these, with a PAYLOAD of its JSON Schema:",
    ...emits.map(emitLine),
  ]
  const [only] = emits
  if (emits.length === 1 && only !== undefined && takesText(only)) {
    lines.push(`An answer that is plain text emits ${nameOf(only)} with the payload {"text": your answer}.`)
  }
  return `${prompt}\n\n${lines.join("\n")}`
}

const emitLine = (emit: AnySignalDefinition | string): string =>
  typeof emit === "string" ? `- ${emit}: {}` : `- ${emit.name}: ${JSON.stringify(jsonSchemaOf(emit))}`

const jsonSchemaOf = ({ schema }: AnySignalDefinition) => {
  const { schema: root, definitions } = Schema.toJsonSchemaDocument(Schema.toCodecJson(schema))
  return Object.keys(definitions).length === 0 ? root : { ...root, $defs: definitions }
}

const takesText = (emit: AnySignalDefinition | string): boolean =>
  typeof emit === "string" || Schema.is(emit.schema)({ text: "" })

const Answer = Schema.Struct({
  signals: Schema.Array(Schema.Struct({ name: Schema.String, payload: Schema.optionalKey(Schema.Json) })),
})
const decodeAnswer = Schema.decodeUnknownEffect(Answer)

/**
 * Parses the signals of an answer: JSON `{"signals":[{name, payload}]}`, alone, in a fence or within text. Plain text becomes
 * the payload `{text}` of the agent's only signal, and is ignored for an agent that emits none; with several signals it is an
 * AgentError. The step checks that the signals are declared and that their payloads match.
 */
export const parseAgentResponse = (
  response: string,
  agent: AgentTurn,
): Effect.Effect<ReadonlyArray<Emitted>, AgentError> => {
  const answer = answerIn(response)
  if (answer !== null) {
    return decodeAnswer(answer).pipe(
      Effect.map(({ signals }) => signals.map(({ name, payload = {} }) => ({ name, payload }))),
      Effect.mapError(
        (cause) =>
          new AgentError({
            agent: agent.name,
            message: `The answer of ${agent.name} has invalid signals: ${cause.message}`,
            cause,
          }),
      ),
    )
  }
  const [only, ...others] = agent.emits
  if (only === undefined) return Effect.succeed([])
  if (others.length === 0) return Effect.succeed([{ name: nameOf(only), payload: { text: response.trim() } }])
  return Effect.fail(
    new AgentError({
      agent: agent.name,
      message: `The answer of ${agent.name} is text, but the agent has ${agent.emits.length} signals to choose from. It must be JSON {"signals":[{"name","payload"}]}.`,
    }),
  )
}

/** The first object with `signals`: the whole text, a fenced block, or an object that starts with that key; null if none. */
const answerIn = (text: string): Readonly<Record<string, unknown>> | null => {
  for (const candidate of candidatesOf(text)) {
    const parsed = parseJson(candidate)
    if (parsed._tag === "Success" && isPlainObject(parsed.success) && "signals" in parsed.success) return parsed.success
  }
  return null
}

const candidatesOf = function* (text: string): Generator<string> {
  yield text.trim()
  if (!text.includes('"signals"')) return
  for (const piece of text.split("```").filter((_, at) => at % 2 === 1)) yield piece.replace(/^[a-z]*\s/, "")
  let from = 0
  for (const { index } of text.matchAll(/\{\s{0,80}"signals"\s{0,80}:/g)) {
    if (index < from) continue
    const end = endOfObject(text, index)
    // If this object is not complete, no complete object can follow it.
    if (end < 0) return
    yield text.slice(index, end)
    from = end
  }
}

/** The index after the object that starts at `start`; -1 when the text ends before the object does. */
const endOfObject = (text: string, start: number): number => {
  let depth = 0
  let quoted = false
  for (let at = start; at < text.length; at += 1) {
    const character = text[at]
    if (quoted) {
      if (character === "\\") at += 1
      else if (character === '"') quoted = false
    } else if (character === '"') quoted = true
    else if (character === "{") depth += 1
    else if (character === "}" && (depth -= 1) === 0) return at + 1
  }
  return -1
}
