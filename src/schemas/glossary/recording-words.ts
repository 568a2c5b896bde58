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
  "ReplayReport.status": ["Whether its turns have all ended.", "ended"],
  "ReplayReport.equal": ["Whether both logs are the same; null while the replay goes on.", true],
  "ReplayReport.events": ["How many signals the recording has.", 42],
  "ReplayReport.recording_id": ["The recording.", "01a2006d-24c2-7fca-854d-a012e7f6351c"],
  "ReplayReport.difference": ["Where they first differ; null when they do not."],
  not_found: [
    "The message of the RecordingNotFound with which the replay first asked for what was not recorded, and what differs; null when it found every answer.",
    "RecordingNotFound: the recording demo has no answer to this request to the model (hash 9f86…).\nat messages[0].content\nrecorded: And now?\nasked: And what now?",
  ],
  "#ReplayReport": ["What came of a replay."],
  "ReplayReport.session_id": [
    "The session that replays it; null for a workflow's run, which is replayed in memory.",
    "01a2006d-24c2-7fca-854d-a012e7f6351c",
  ],
  "ReplayReport.state": ["The final state of the replayed run."],
  part: ["The part of the session in which it is: `conversation`, or the id of a call.", "conversation"],
  "ReplayDifference.index": ["The place of the signal in that part, from 0; null of a workflow's run.", 7],
  "ReplayDifference.recorded": ["The recorded signal's name; null where there is none.", "sdk:assistant"],
  "ReplayDifference.got": ["The name of the replay's signal; null where there is none.", "sdk:assistant"],
  "ReplayDifference.text": [
    "What differs: its path, what was recorded, and what came; at most 2 KiB.",
    'at payload.message.content[0].text\nrecorded: "two"\nplayed: "three"',
  ],
  next_after: ["The `after` of the next page.", 100],
}

export const RECORDING_PARAMETERS: Glossary = {
  recording_id: ["The recording's id.", "01a2006d-24c2-7fca-854d-a012e7f6351c"],
  "getReplay.session_id": ["The session that replays it.", "01a2006d-24c2-7fca-854d-a012e7f6351c"],
  "listRecordings.kind": ["Only recordings of sessions, or of workflows' runs.", "session"],
  "listRecordings.tags": ["Only recordings that have all of these tags, separated by commas.", "nightly,parser"],
  "listRecordingEvents.after": ["Only signals behind this place; the first has 1.", 42],
  "listRecordingEvents.name": ["A signal's name, or a pattern of names.", "sdk:**"],
}
