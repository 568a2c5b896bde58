// Rows of the route table: recordings of sessions and of workflows' runs.
import * as Schema from "effect/Schema"
import * as Api from "../../schemas/api/recordings.ts"
import { EventNamePattern } from "../../schemas/log/event-signal.ts"
import { route } from "../route.ts"
import { Uuid } from "../../schemas/ids.ts"
import { answer, Cursor, IDEMPOTENCY, Limit, list, NoFields, page, Seq } from "./parts.ts"

const Params = Schema.Struct({ recording_id: Api.RecordingId })

export const createRecording = route({
  id: "createRecording",
  method: "post",
  path: "/v1/recordings",
  summary: "Create a recording from a recorded session or workflow's run",
  description:
    "Copies the current log and every answer from outside; the session can continue or be erased. A session must have been recorded from its start, with `options.runtime.mode: record`; otherwise it is a 409. Send either `session_id` or `run_id`. A tenant has at most 1,000 recordings.",
  tag: "recordings",
  auth: "sessions:write",
  headers: IDEMPOTENCY,
  body: Api.CreateRecording,
  answers: {
    200: answer(
      "The recording that this Idempotency-Key created before.",
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
  description: "`tags` are separated by commas and select recordings that have all of them.",
  tag: "recordings",
  auth: "sessions:read",
  query: Schema.Struct({
    limit: Limit(100),
    cursor: Cursor,
    kind: Schema.optionalKey(Schema.Literals(["workflow", "session"])),
    tags: Schema.optionalKey(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(1300))),
  }),
  answers: {
    200: answer("A page of recordings.", page(Api.ListedRecording)),
  },
})

export const getRecording = route({
  id: "getRecording",
  method: "get",
  path: "/v1/recordings/{recording_id}",
  summary: "Read a recording's source and size",
  description: "Read from the recording itself.",
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
    "In order; `after` is the `next_after` of a page. `name` is a name or a pattern: `*` for a segment, `**` for any number of segments, at most 8 stars and 256 characters. A page with a pattern scans 20,000 signals at most.",
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
      "A page of signals, each with its position.",
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
  description: "Sessions that have replayed it are kept; a session that is still replaying it fails.",
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
    "`{metadata, signals, checkpoints, answers, chunks}`, with one signal, answer or chunk per line. After an upload to another server, the download has the same bytes. It contains what the session received: prompts, files that were read, results of tools; headers with secrets are left out.",
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
    "At most 128 MiB, 24 MiB for one signal or answer. `metadata.id` must be the id in the path. The hash of every answer and chunk is verified. An id that exists is a 409.",
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
  summary: "Name a position in a recording",
  description:
    "The position after its first `index` signals, or after all of them without `index`. Repeating the request changes nothing.",
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
    "The new session has the recorded options and gets the recorded prompts one after the other; the answers of the model, of tools outside of the session, of hooks and of people come from the recording. The response waits until the last turn has ended, at most 10 minutes, and contains the first difference between both logs; ids, times and durations are not compared. A request that has no recorded answer ends its turn with an error whose `errors` start with `RecordingNotFound`. `Prefer: respond-async` responds immediately; read the report at `location` then. " +
    "A workflow's run is replayed in memory: its workflow runs again with its agents' recorded answers, nothing is stored, and the report contains the final state.",
  tag: "recordings",
  auth: "sessions:write",
  params: Params,
  headers: { ...IDEMPOTENCY, Prefer: "`respond-async` returns 202 immediately." },
  body: NoFields,
  answers: {
    200: answer("The replay has ended.", Api.ReplayReport, "location", "perch-session-id", "idempotent-replayed"),
    202: answer(
      "The replay is still running.",
      Api.ReplayReport,
      "location",
      "perch-session-id",
      "idempotent-replayed",
    ),
  },
  errors: ["not_found_error", "conflict_error", "unprocessable_error", "permission_error"],
})

export const getReplay = route({
  id: "getReplay",
  method: "get",
  path: "/v1/recordings/{recording_id}/replays/{session_id}",
  summary: "Compare a session with the recording that it replays",
  description: "There is no comparison while its turns run. Any session of the tenant can be compared.",
  tag: "recordings",
  auth: "sessions:read",
  params: Schema.Struct({ recording_id: Api.RecordingId, session_id: Uuid }),
  answers: { 200: answer("The progress of the replay, and the first difference.", Api.ReplayReport) },
  errors: ["not_found_error", "conflict_error"],
})
