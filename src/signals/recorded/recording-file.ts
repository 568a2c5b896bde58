// Receives the path of a JSON file; writes a recording to it, or reads one from it. Only in Node.
// Invariant: a recording that is returned has been decoded, and is complete.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { RecordingNotFound } from "../../recording/recording-not-found.ts"
import { Recording } from "../../recording/recording.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"
import { Signal } from "../../schemas/signal.ts"
import { WorkflowError } from "../errors.ts"

/** Writes the recording, and creates the folders above the file. An existing file is replaced only by a complete new one. */
export const writeRecordingFile = Effect.fnUntraced(function* (
  file: string,
  recording: Recording,
): Effect.fn.Return<void, WorkflowError> {
  yield* Effect.tryPromise({
    try: async () => {
      const [fs, path] = await Promise.all([import("node:fs/promises"), import("node:path")])
      await fs.mkdir(path.dirname(file), { recursive: true })
      const unfinished = await fs.mkdtemp(`${file}.unfinished-`)
      try {
        const written = path.join(unfinished, "recording.json")
        await fs.writeFile(written, `${JSON.stringify(recording, null, 1)}\n`)
        await fs.rename(written, file)
      } finally {
        await fs.rm(unfinished, { recursive: true, force: true })
      }
    },
    catch: (cause) => new WorkflowError({ message: `The recording could not be written to ${file}.`, cause }),
  })
})

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Recording))
const decodeSignals = Schema.decodeUnknownOption(Schema.Array(Signal))

/**
 * Reads a recording: a document as Perch returns it, `{signals}`, a list of signals, lines of signals (JSONL), or a folder with
 * `signals.jsonl`. If the file has no `answers`, the agents' answers are read from its signals.
 */
export const readRecordingFile = Effect.fnUntraced(function* (
  file: string,
): Effect.fn.Return<Recording, RecordingNotFound | WorkflowError> {
  const text = yield* Effect.tryPromise({
    try: async () => {
      const [fs, path] = await Promise.all([import("node:fs/promises"), import("node:path")])
      const isFolder = (await fs.stat(file)).isDirectory()
      return fs.readFile(isFolder ? path.join(file, "signals.jsonl") : file, "utf8")
    },
    catch: () => new RecordingNotFound({ recording: file, hash: "", message: `There is no recording in ${file}.` }),
  })
  const whole = decode(text)
  if (Option.isSome(whole)) return whole.value
  const signals = Option.flatMap(signalsIn(text), (values) => decodeSignals(values))
  if (Option.isSome(signals)) return ofSignals(signals.value)
  return yield* new WorkflowError({
    message: `${file} is not a recording: it has neither a recording's fields nor signals of {id, name, payload, timestamp}.`,
  })
})

/** The list in a text: a JSON array, the array `signals` of a JSON object, or one JSON value per line. */
const signalsIn = (text: string): Option.Option<unknown> => {
  const value = jsonOf(text)
  if (Option.isNone(value)) {
    return Option.all(
      text
        .split("\n")
        .filter((line) => line.trim() !== "")
        .map((line) => jsonOf(line)),
    )
  }
  return isPlainObject(value.value) && "signals" in value.value ? Option.some(value.value["signals"]) : value
}

const jsonOf = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/** A recording with nothing but the signals. */
const ofSignals = (signals: ReadonlyArray<Signal>): Recording => ({
  metadata: {
    id: "file",
    kind: "workflow",
    name: "file",
    tags: [],
    createdAt: signals[0]?.timestamp ?? new Date(0).toISOString(),
    signalCount: signals.length,
    finalized: true,
    durationMs: 0,
    version: 1,
  },
  signals,
  checkpoints: [],
  answers: [],
  chunks: {},
})
