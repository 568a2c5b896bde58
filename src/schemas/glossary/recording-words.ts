// What the fields of recordings and their replays mean.
import { MOMENT, SESSION } from "./examples.ts"
import type { Glossary } from "./glossary.ts"

export const RECORDING_WORDS: Glossary = {
  "#ListedRecording": ["A recording without its content."],
  tags: ["Tags to filter lists by: at most 20, each of at most 64 characters.", ["nightly"]],
  finalized: ["Whether the recorded session or run had ended.", true],
  "RecordingSource.workflow": ["The workflow whose run it was.", "task-workflow"],
  "RecordingSource.run_id": ["The run.", "run-1"],
  "ListedRecording.signals": ["How many signals it contains.", 42],
  "RecordingInfo.signals": ["How many signals it contains.", 42],
  "ListedRecording.answers": ["How many answers it contains: of the model, of tools, of hooks, of people.", 12],
  "RecordingInfo.answers": ["How many answers it contains: of the model, of tools, of hooks, of people.", 12],
  "ErasedRecording.signals": ["How many signals it contained.", 42],
  "ErasedRecording.answers": ["How many answers it contained.", 12],
  bytes: ["Size of its JSON in bytes.", 48_213],
  "RecordingInfo.checkpoints": ["Its named positions.", []],
  "RecordingPlace.index": ["How many signals precede the position.", 12],
  "CreateCheckpoint.index": ["How many signals precede the position; all by default.", 12],
  "RecordingPlace.timestamp": ["When it was named, ISO 8601.", MOMENT],
  "#RecordedSignal": ["A signal of a recording, with its position."],
  "ListRecordingEventsResponse.signals": ["The signals, in order."],
  "ReplayReport.status": ["Whether all of its turns have ended.", "ended"],
  "ReplayReport.equal": ["Whether both logs are equal; null while the replay is running.", true],
  "ReplayReport.events": ["How many signals the recording has.", 42],
  "ReplayReport.recording_id": ["The recording.", SESSION],
  "ReplayReport.difference": ["Where they first differ; null when they do not."],
  not_found: [
    "The message of the first RecordingNotFound: the request that has no recorded answer, and how it differs; null when every answer was found.",
    "RecordingNotFound: the recording demo has no answer to this request to the model (hash 9f86…).\nat messages[0].content\nrecorded: And now?\nasked: And what now?",
  ],
  "#ReplayReport": ["The outcome of a replay."],
  "ReplayReport.session_id": [
    "The session that replays it; null for a workflow's run, which is replayed in memory.",
    SESSION,
  ],
  "ReplayReport.state": ["The final state of the replayed run."],
  part: ["The part of the session that contains it: `conversation`, or the id of a call.", "conversation"],
  "ReplayDifference.index": ["The index of the signal in that part, from 0; null for a workflow's run.", 7],
  "ReplayDifference.recorded": [
    "The recorded signal's name; null when the recording has no signal there.",
    "sdk:assistant",
  ],
  "ReplayDifference.got": [
    "The name of the replay's signal; null when the replay has no signal there.",
    "sdk:assistant",
  ],
  "ReplayDifference.text": [
    "What differs: its path, the recorded value, and the replay's value; at most 2 KiB.",
    'at payload.message.content[0].text\nrecorded: "two"\nplayed: "three"',
  ],
}

export const RECORDING_PARAMETERS: Glossary = {
  recording_id: ["The recording's id.", SESSION],
  "getReplay.session_id": ["The session that replays it.", SESSION],
  "listRecordings.kind": ["Only recordings of sessions, or of workflows' runs.", "session"],
  "listRecordings.tags": ["Only recordings that have all of these tags, separated by commas.", "nightly,parser"],
  "listRecordingEvents.after": ["Only signals after this position; the first signal has 1.", 42],
  "listRecordingEvents.name": ["A signal's name, or a pattern of names.", "sdk:**"],
}
