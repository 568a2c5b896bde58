// Rows of the route table: recordings of sessions and of workflows' runs.
import * as Schema from "effect/Schema"
import * as Api from "../../schemas/api/recordings.ts"
import { EventNamePattern } from "../../schemas/log/event-signal.ts"
import { route } from "../route.ts"
import { Uuid } from "../../schemas/ids.ts"
import { answer, Cursor, IDEMPOTENCY, Limit, list, NoFields, Seq } from "./parts.ts"

const Params = Schema.Struct({ recording_id: Api.RecordingId })

export const createRecording = route({
  id: "createRecording",
  method: "post",
  path: "/v1/recordings",
  summary: "Keep what a session, or a workflow's run, has recorded",
  description:
    "A copy of the log and of every answer from outside as they are now; the session goes on and may be erased. A session is recorded from its beginning, with `options.runtime.mode: record`; one that was not is a 409. Of `session_id` and `run_id` exactly one is given. A tenant has at most 1,000 recordings.",
  tag: "recordings",
  auth: "sessions:write",
  headers: IDEMPOTENCY,
  body: Api.CreateRecording,
  answers: {
    200: answer(
      "The recording that this Idempotency-Key made before.",
      Api.RecordingInfo,
      "location",
      "idempotent-replayed",
    ),
    201: answer("The new recording.", Api.RecordingInfo, "location"),
  },
  errors: ["not_found_error", "conflict_error", "unprocessable_error"],
  example: { session_id: "01a2006d-24c2-7fca-854d-a012e7f6351c", name: "Two files", tags: ["nightly"] },
})

export const listRecordings = route({
  id: "listRecordings",
  method: "get",
  path: "/v1/recordings",
  summary: "List recordings, the newest first",
  description: "`tags` are separated by commas: recordings that have all of them.",
  tag: "recordings",
  auth: "sessions:read",
  query: Schema.Struct({
    limit: Limit(100),
    cursor: Cursor,
    kind: Schema.optionalKey(Schema.Literals(["workflow", "session"])),
    tags: Schema.optionalKey(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(1300))),
  }),
  answers: {
    200: answer(
      "A page of recordings.",
      list("data", Api.ListedRecording, { next_cursor: Schema.NullOr(Schema.String) }),
    ),
  },
})

export const getRecording = route({
  id: "getRecording",
  method: "get",
  path: "/v1/recordings/{recording_id}",
  summary: "Read what a recording is of, and how much it holds",
  description: "From the recording itself.",
  tag: "recordings",
  auth: "sessions:read",
  params: Params,
  answers: { 200: answer("The recording.", Api.RecordingInfo) },
  errors: ["not_found_error"],
})

export const listRecordingEvents = route({
  id: "listRecordingEvents",
  method: "get",
  path: "/v1/recordings/{recording_id}/events",
  summary: "Read the signals of a recording by pages",
  description:
    "In their order; `after` is the `next_after` of a page. `name` is a name or a pattern: `*` for a segment, `**` for any number of them, at most 8 stars and 256 characters. A page with a pattern looks at 20,000 signals at most.",
  tag: "recordings",
  auth: "sessions:read",
  params: Params,
  query: Schema.Struct({
    after: Schema.optionalKey(Seq),
    limit: Limit(1000),
    name: Schema.optionalKey(EventNamePattern),
  }),
  answers: {
    200: answer(
      "A page of signals, each with its place.",
      list("signals", Api.RecordedSignal, {
        has_more: Schema.Boolean,
        next_after: Schema.Int,
        last_seq: Schema.Int,
      }),
    ),
  },
  errors: ["not_found_error"],
})

export const deleteRecording = route({
  id: "deleteRecording",
  method: "delete",
  path: "/v1/recordings/{recording_id}",
  summary: "Erase a recording",
  description: "All of it. Sessions that were made by replaying it stay; one that still replays it fails.",
  tag: "recordings",
  auth: "sessions:write",
  params: Params,
  answers: { 200: answer("What was erased.", Api.ErasedRecording) },
  errors: ["not_found_error"],
})

export const downloadRecording = route({
  id: "downloadRecording",
  method: "get",
  path: "/v1/recordings/{recording_id}/download",
  summary: "Download a recording as one JSON document",
  description:
    "`{metadata, signals, checkpoints, answers, chunks}`, a signal, an answer or a chunk a line. Uploaded elsewhere and downloaded again it is the same bytes. It holds what the session saw: prompts, files that were read, results of tools; headers with secrets are left out.",
  tag: "recordings",
  auth: "sessions:read",
  params: Params,
  answers: {
    200: { description: "The document.", contentType: "application/json", headers: ["content-disposition"] },
  },
  errors: ["not_found_error"],
})

export const uploadRecording = route({
  id: "uploadRecording",
  method: "put",
  path: "/v1/recordings/{recording_id}",
  summary: "Upload a recording that was downloaded",
  description:
    "At most 128 MiB, 24 MiB for one signal or answer. `metadata.id` is the id of the path. Every answer's and chunk's hash is checked. An id that exists is a 409.",
  tag: "recordings",
  auth: "sessions:write",
  params: Params,
  bytes: true,
  answers: { 201: answer("The recording.", Api.RecordingInfo, "location") },
  errors: ["conflict_error", "request_too_large"],
})

export const createRecordingCheckpoint = route({
  id: "createRecordingCheckpoint",
  method: "post",
  path: "/v1/recordings/{recording_id}/checkpoints",
  summary: "Name a place in a recording",
  description:
    "The place behind its first `index` signals, behind all of them when there is no `index`. The same again changes nothing.",
  tag: "recordings",
  auth: "sessions:write",
  params: Params,
  body: Api.CreateCheckpoint,
  answers: { 201: answer("The recording with its checkpoints.", Api.RecordingInfo) },
  errors: ["not_found_error", "conflict_error"],
  example: { name: "before the second file", index: 12 },
})

export const replayRecording = route({
  id: "replayRecording",
  method: "post",
  path: "/v1/recordings/{recording_id}/replay",
  summary: "Replay a recording in a new session, without a request to a model",
  description:
    "The new session has the recorded options and gets the recorded prompts one after the other; what the model, tools outside of the session, hooks and people answered is answered from the recording. The answer waits until the last turn has ended, at most 10 minutes, and has the first difference between both logs; ids, times and durations make none. A request that the recording has no answer to ends its turn with an error whose `errors` begin with `RecordingNotFound`. `Prefer: respond-async` answers at once; the report is then read at `location`. " +
    "A workflow's run is replayed in memory: its workflow runs again with what its agents answered, nothing is stored, and the report has the final state.",
  tag: "recordings",
  auth: "sessions:write",
  params: Params,
  headers: { ...IDEMPOTENCY, Prefer: "`respond-async` answers 202 at once." },
  body: NoFields,
  answers: {
    200: answer("The replay has ended.", Api.ReplayReport, "location", "perch-session-id", "idempotent-replayed"),
    202: answer("The replay goes on.", Api.ReplayReport, "location", "perch-session-id", "idempotent-replayed"),
  },
  errors: ["not_found_error", "conflict_error", "unprocessable_error", "permission_error"],
})

export const getReplay = route({
  id: "getReplay",
  method: "get",
  path: "/v1/recordings/{recording_id}/replays/{session_id}",
  summary: "Compare a session with the recording that it replays",
  description: "While its turns run there is no comparison. Any session of the tenant can be compared.",
  tag: "recordings",
  auth: "sessions:read",
  params: Schema.Struct({ recording_id: Api.RecordingId, session_id: Uuid }),
  answers: { 200: answer("How far the replay is, and the first difference.", Api.ReplayReport) },
  errors: ["not_found_error", "conflict_error"],
})
