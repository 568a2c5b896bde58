// The harness of a recording: a prompt gets the answer that it got in the recorded run, in the same pieces.
// Invariant: it makes no request. A prompt that was not recorded fails with RecordingNotFound, which shows the difference
// from the next recorded prompt; equal prompts get their answers in the order of the recording.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { memoryReader } from "../../recording/memory-reader.ts"
import { normalised } from "../../recording/normalised.ts"
import { notRecorded } from "../../recording/missing/not-recorded.ts"
import type { RecordingNotFound } from "../../recording/recording-not-found.ts"
import type { RecordedAnswer, Recording, RecordingReader } from "../../recording/recording.ts"
import { hashRequest, type Json } from "../../recording/request-hash.ts"
import type { Signal } from "../../schemas/signal.ts"
import { textField } from "../../schemas/json/text-field.ts"
import { HarnessService } from "../harness.ts"

/** A harness with the models' answers of a recorded run. Each build of the layer starts at the first answer to each prompt. */
export const ReplayHarness = (recording: Recording): Layer.Layer<HarnessService> =>
  Layer.sync(HarnessService, () => {
    const recorded = answersIn(recording.signals)
    const reader = memoryReader(recorded)
    const asked = new Map<string, number>()
    /** The first recorded prompt that has not been asked yet: a changed prompt probably replaces it. */
    const nearest: RecordingReader["nearest"] = (kind, request) => {
      const next = recorded.answers.find(({ hash, ordinal }) => ordinal >= (asked.get(hash) ?? 0))
      return next === undefined ? reader.nearest(kind, request) : reader.find(kind, next.hash, next.ordinal)
    }
    const piecesFor = Effect.fnUntraced(function* (
      prompt: string,
    ): Effect.fn.Return<ReadonlyArray<string>, RecordingNotFound> {
      const { hash } = hashRequest({ prompt })
      const ordinal = asked.get(hash) ?? 0
      asked.set(hash, ordinal + 1)
      const found = yield* reader.find("model", hash, ordinal)
      if (found !== null) return textsOf(found.response)
      // Normalized like the recorded prompts: without ids and times.
      const request: Json = { prompt: JSON.parse(normalised(JSON.stringify(prompt))) as string }
      return yield* yield* notRecorded(
        { ...reader, nearest },
        { recording: recording.metadata.id, kind: "model", hash, ordinal, request },
      )
    })
    return HarnessService.of({
      complete: (prompt) => Effect.map(piecesFor(prompt), (pieces) => pieces.join("")),
      stream: (prompt) => Stream.unwrap(Effect.map(piecesFor(prompt), Stream.fromIterable)),
    })
  })

/** The prompts and answers between `harness:start` and `harness:end`, by agent and the signal that activated it. */
const answersIn = (signals: ReadonlyArray<Signal>): Pick<Recording, "answers" | "chunks"> => {
  const answers: Array<RecordedAnswer> = []
  const chunks: Record<string, Json> = {}
  const open = new Map<string, { readonly prompt: string; readonly pieces: Array<string> }>()
  const ordinals = new Map<string, number>()
  for (const { name, payload, source } of signals) {
    const turn = `${source?.parent} ${source?.agent}`
    if (name === "harness:start") open.set(turn, { prompt: textField(payload, "input"), pieces: [] })
    if (name === "text:delta") open.get(turn)?.pieces.push(textField(payload, "content"))
    const exchange = name === "harness:end" ? open.get(turn) : undefined
    if (exchange === undefined) continue
    open.delete(turn)
    const output = textField(payload, "output")
    const { hash, request, chunks: pieces } = hashRequest({ prompt: exchange.prompt })
    // Chunks are stored as JSON texts.
    for (const [key, text] of pieces) chunks[key] = JSON.parse(text) as Json
    const ordinal = ordinals.get(hash) ?? 0
    ordinals.set(hash, ordinal + 1)
    const response = exchange.pieces.join("") === output ? exchange.pieces : [output]
    answers.push({ kind: "model", hash, ordinal, request, response })
  }
  return { answers, chunks }
}

const textsOf = (response: Json): ReadonlyArray<string> =>
  Array.isArray(response) ? response.filter((piece) => typeof piece === "string") : []
