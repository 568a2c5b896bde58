// Receives the path of a JSON file; writes a recording into it, or reads one from it. For Node, which has files.
// Invariant: what is read was checked: it is a recording, whole.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { RecordingNotFound } from "../../recording/recording-not-found.ts"
import { Recording } from "../../recording/recording.ts"
import { WorkflowError } from "../errors.ts"

/** Writes the recording, and the folders above the file. */
export const writeRecordingFile = Effect.fnUntraced(function* (
  file: string,
  recording: Recording,
): Effect.fn.Return<void, WorkflowError> {
  yield* Effect.tryPromise({
    try: async () => {
      const [fs, path] = await Promise.all([import("node:fs/promises"), import("node:path")])
      await fs.mkdir(path.dirname(file), { recursive: true })
      await fs.writeFile(file, `${JSON.stringify(recording, null, 1)}\n`)
    },
    catch: (cause) => new WorkflowError({ message: `The recording could not be written into ${file}.`, cause }),
  })
})

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Recording))

export const readRecordingFile = Effect.fnUntraced(function* (
  file: string,
): Effect.fn.Return<Recording, RecordingNotFound | WorkflowError> {
  const text = yield* Effect.tryPromise({
    try: async () => (await import("node:fs/promises")).readFile(file, "utf8"),
    catch: () => new RecordingNotFound({ recording: file, hash: "", message: `There is no recording in ${file}.` }),
  })
  return yield* Effect.mapError(
    decode(text),
    (cause) => new WorkflowError({ message: `${file} is no recording: ${cause.message}`, cause }),
  )
})
