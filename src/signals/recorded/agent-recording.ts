// Receives a workflow and the log of a run; returns the answers of its agents in the form of a recording. Receives a
// recording; returns the agent service that replays its answers.
// Invariant: a turn's answer is looked up by the request to the agent, and a request that was not recorded fails.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { normalised } from "../../recording/normalised.ts"
import { notRecorded } from "../../recording/missing/not-recorded.ts"
import { RecordingNotFound } from "../../recording/recording-not-found.ts"
import type { RecordedAnswer, RecordingReader } from "../../recording/recording.ts"
import { hashRequest } from "../../recording/request-hash.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"
import { Emitted, isObserved, type Signal } from "../../schemas/signal.ts"
import { textField } from "../../schemas/json/text-field.ts"
import { type AgentService, type AgentTurn, Observer } from "../agent.ts"
import { AgentError } from "../errors.ts"
import { nameOf } from "../signal.ts"
import type { Workflow } from "../workflow.ts"

/** The response of a recorded answer of the kind `agent`. */
const AgentAnswer = Schema.Struct({
  emitted: Schema.Array(Emitted),
  /** Signals about the turn, between `agent:activated` and the signals that it emitted. */
  observed: Schema.Array(Schema.Struct({ ...Emitted.fields, harness: Schema.optionalKey(Schema.String) })),
  /** The message of the AgentError with which the turn failed. */
  error: Schema.optionalKey(Schema.String),
  /** Set if the run was cancelled before the turn had an answer. */
  cancelled: Schema.optionalKey(Schema.Literal(true)),
})
type AgentAnswer = typeof AgentAnswer.Type
const decodeAnswer = Schema.decodeUnknownEffect(AgentAnswer)

/** The request that identifies a turn: the prompt, and the fields of the agent's definition that shape the answer. */
const agentRequest = (prompt: string, { name, model, harness, tools, emits }: AgentTurn) => ({
  agent: name,
  prompt,
  emits: emits.map(nameOf),
  ...(model === undefined ? {} : { model }),
  ...(harness === undefined ? {} : { harness }),
  ...(tools === undefined ? {} : { tools }),
})

/** The answers in the log of a run, and the chunks with the long texts of their requests. */
export const answersOf = <S, R>(workflow: Workflow<S, R>, signals: ReadonlyArray<Signal>) => {
  const answers: Array<RecordedAnswer> = []
  const chunks: Record<string, Schema.Json> = {}
  const ordinals = new Map<string, number>()
  const turns = turnsOf(signals)
  for (const { agent, prompt, answer } of turns) {
    const definition = workflow.agents.find((one) => one.definition.name === agent)?.definition
    if (definition === undefined) continue
    const { hash, request, chunks: pieces } = hashRequest(agentRequest(prompt, definition))
    const ordinal = ordinals.get(hash) ?? 0
    ordinals.set(hash, ordinal + 1)
    // Chunks are stored as JSON texts.
    for (const [key, text] of pieces) chunks[key] = JSON.parse(text) as Schema.Json
    // The answer consists of signals, which are JSON.
    answers.push({ kind: "agent", hash, ordinal, request, response: answer as Schema.Json })
  }
  return { answers, chunks }
}

interface RecordedTurn {
  readonly agent: string
  readonly prompt: string
  readonly answer: {
    emitted: Array<Emitted>
    observed: Array<AgentAnswer["observed"][number]>
    error?: string
    cancelled?: true
  }
}

/** The turns in a log, in the order in which they started. A signal activates an agent at most once. */
const turnsOf = (signals: ReadonlyArray<Signal>): ReadonlyArray<RecordedTurn> => {
  const turns = new Map<string, RecordedTurn>()
  for (const { name, payload, source } of signals) {
    const key = `${source?.parent} ${source?.agent}`
    const turn = turns.get(key)
    if (name === "agent:activated") {
      turns.set(key, {
        agent: source?.agent ?? "",
        prompt: textField(payload, "prompt"),
        answer: { emitted: [], observed: [] },
      })
    } else if (turn !== undefined) {
      const of = source?.harness === undefined ? {} : { harness: source.harness }
      if (isObserved(name)) turn.answer.observed.push({ name, payload, ...of })
      else turn.answer.emitted.push({ name, payload })
    }
  }
  const list = [...turns.values()]
  const end = signals.at(-1)
  const error = end?.name === "workflow:end" && isPlainObject(end.payload) ? end.payload["error"] : undefined
  const last = list.at(-1)
  if (last === undefined) return list
  // A failed turn ends its run.
  if (textField(error, "type") === "AgentError") last.answer.error = textField(error, "message")
  if (isCancelled(end) && !last.answer.observed.some(({ name }) => name === "harness:end")) last.answer.cancelled = true
  return list
}

/** Whether the signal is the end of a run that was cancelled. */
export const isCancelled = (end: Signal | undefined): boolean =>
  end?.name === "workflow:end" && textField(end.payload, "reason") === "cancelled"

/** The request without ids and times, like recorded requests. */
const withoutTimes = (request: Schema.Json): Schema.Json =>
  // Normalizing keeps it JSON.
  JSON.parse(normalised(JSON.stringify(request))) as Schema.Json

/** An agent service that answers turns from a recording. Fails with RecordingNotFound for a request that was not recorded. */
export const recordedAgents = (recording: string, reader: RecordingReader): AgentService["Service"] => {
  const ordinals = new Map<string, number>()
  return {
    run: Effect.fnUntraced(function* (prompt, _signal, agent): Effect.fn.Return<
      ReadonlyArray<Emitted>,
      AgentError | RecordingNotFound
    > {
      const asked = agentRequest(prompt, agent)
      const { hash } = hashRequest(asked)
      const ordinal = ordinals.get(hash) ?? 0
      ordinals.set(hash, ordinal + 1)
      const found = yield* reader.find("agent", hash, ordinal)
      if (found === null) {
        const request = withoutTimes(asked)
        return yield* yield* notRecorded(reader, { recording, kind: "agent", hash, ordinal, request })
      }
      const answer = yield* Effect.mapError(decodeAnswer(found.response), ({ message }) => {
        const problem = `The answer of ${agent.name} in the recording ${recording} is damaged: ${message}`
        return new RecordingNotFound({ recording, hash, message: problem })
      })
      const observe = yield* Observer
      for (const { harness, ...one } of answer.observed) {
        yield* observe(harness === undefined ? one : { ...one, source: { harness } })
      }
      if (answer.cancelled === true) {
        const message = `The recorded run was cancelled in this turn of ${agent.name}.`
        return yield* new RecordingNotFound({ recording, hash, message })
      }
      if (answer.error !== undefined) return yield* new AgentError({ agent: agent.name, message: answer.error })
      return answer.emitted
    }),
  }
}
