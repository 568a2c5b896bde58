// What the fields of recordings and their replays mean.
import { MOMENT } from "./examples.ts"
import type { Glossary } from "./glossary.ts"

export const RECORDING_WORDS: Glossary = {
  tags: ["Words that it is listed by: at most 20, of at most 64 characters.", ["nightly"]],
  finalized: ["Whether what was recorded had ended.", true],
  "RecordingSource.workflow": ["The workflow whose run it was.", "task-workflow"],
  "RecordingSource.run_id": ["The run.", "run-1"],
  "ListedRecording.signals": ["How many signals it holds.", 42],
  "RecordingInfo.signals": ["How many signals it holds.", 42],
  "ListedRecording.answers": ["How many answers it holds: of the model, of tools, of hooks, of people.", 12],
  "RecordingInfo.answers": ["How many answers it holds: of the model, of tools, of hooks, of people.", 12],
  "ErasedRecording.signals": ["How many signals it held.", 42],
  "ErasedRecording.answers": ["How many answers it held.", 12],
  bytes: ["Bytes of its JSON.", 48_213],
  "RecordingInfo.checkpoints": ["Its named places.", []],
  "RecordingPlace.index": ["How many signals are before the place.", 12],
  "CreateCheckpoint.index": ["How many signals are before the place; all when it is not given.", 12],
  "RecordingPlace.timestamp": ["When it was named, ISO 8601.", MOMENT],
  "#RecordedSignal": ["A signal of a recording, with its place."],
  "ListRecordingEventsResponse.signals": ["The signals, in their order."],
  next_after: ["The `after` of the next page.", 100],
}

export const RECORDING_PARAMETERS: Glossary = {
  recording_id: ["The recording's id.", "01a2006d-24c2-7fca-854d-a012e7f6351c"],
  "listRecordings.kind": ["Only recordings of sessions, or of workflows' runs.", "session"],
  "listRecordings.tags": ["Only recordings that have all of these tags, separated by commas.", "nightly,parser"],
  "listRecordingEvents.after": ["Only signals behind this place; the first has 1.", 42],
  "listRecordingEvents.name": ["A signal's name, or a pattern of names.", "sdk:**"],
}
