// The routes of recordings: create from a session or a run, list, read, set checkpoints, export and import as a document, erase.
// Invariant: the name of a recording's object starts with the caller's own tenant; documents are streamed, not kept in memory.
import * as Effect from "effect/Effect"
import { type CreateRecording, MAX_DOCUMENT, MAX_RECORDINGS, type RecordingInfo } from "../../schemas/api/recordings.ts"

import { signalName } from "../../schemas/log/event-signal.ts"

import { countRecordings, listRecordings } from "../../store/recordings.ts"
import { audited } from "../auth/audited.ts"
import { checkLength, passBody } from "../bodies/body.ts"
import { contract } from "../contract/contract.ts"
import { ApiError, fromStore, invalidField } from "../errors/errors.ts"
import { type App, type Caller, handle, json } from "../handle.ts"
import { createdFingerprint, createdId, idempotencyKey, REPLAYED } from "../idempotency/request-name.ts"
import { fromObject, responseError } from "../object-call.ts"
import { callRecording, recordingOf } from "../sessions/recording-call.ts"

const DEFAULT_LIMIT = 100

export const recordingRoutes = (app: App): void => {
  handle(
    app,
    contract.createRecording,
    Effect.fnUntraced(function* ({ body }, caller) {
      const { id: named, name, tags } = body
      const from = yield* sourceOf(body)
      const key = yield* idempotencyKey(caller)
      const id = named ?? (yield* createdId(caller, key, "recording"))
      yield* checkRoom(caller)
      const fingerprint = createdFingerprint(key, "recording", body)
      const more = { ...(name === undefined ? {} : { name }), ...(tags === undefined ? {} : { tags }) }
      const { recording, created } = yield* callRecording(caller, id, (object) =>
        object.record({ from, ...more, ...fingerprint }),
      )
      if (created) yield* audited(caller, "recording:created", id, sessionOf(recording))
      return json(created ? 201 : 200, recording, { location: urlOf(id), ...(created ? {} : REPLAYED) })
    }),
  )

  handle(
    app,
    contract.listRecordings,
    Effect.fnUntraced(function* ({ query }, { env, tenant }) {
      const { limit = DEFAULT_LIMIT, cursor, kind, tags } = query
      const wanted = { limit, cursor, kind, tags: tags === undefined ? [] : [...new Set(tags.split(","))] }
      return json(200, yield* fromStore(listRecordings(env.DB, tenant, wanted)))
    }),
  )

  handle(
    app,
    contract.getRecording,
    Effect.fnUntraced(function* ({ params }, caller) {
      return json(200, yield* callRecording(caller, params.recording_id, (object) => object.info()))
    }),
  )

  handle(
    app,
    contract.listRecordingEvents,
    Effect.fnUntraced(function* ({ params, query }, caller) {
      const { after = 0, limit = DEFAULT_LIMIT, name } = query
      const wanted = { after, limit, ...(name === undefined ? {} : { pattern: signalName(name) }) }
      const page = yield* callRecording(caller, params.recording_id, (object) => object.events(wanted))
      const signals = page.signals.map((signal) => `{"seq":${signal.seq},${signal.json.slice(1)}`)
      const { has_more, next_after, last_seq } = page
      const rest = JSON.stringify({ has_more, next_after, last_seq })
      const text = `{"signals":[${signals.join(",")}],${rest.slice(1)}`
      return new Response(text, { headers: { "content-type": "application/json" } })
    }),
  )

  handle(
    app,
    contract.deleteRecording,
    Effect.fnUntraced(function* ({ params }, caller) {
      const erased = yield* callRecording(caller, params.recording_id, (object) => object.erase())
      yield* audited(caller, "recording:deleted", params.recording_id)
      return json(200, erased)
    }),
  )

  handle(
    app,
    contract.downloadRecording,
    Effect.fnUntraced(function* ({ params }, caller) {
      const id = params.recording_id
      const response = yield* fromObject("recording", () => recordingOf(caller, id).fetch("http://recording/document"))
      if (!response.ok) return yield* responseError(response)
      return new Response(response.body, {
        headers: {
          "content-type": "application/json",
          "content-disposition": `attachment; filename="${id}.json"`,
          "cache-control": "private, no-store",
        },
      })
    }),
  )

  handle(
    app,
    contract.uploadRecording,
    Effect.fnUntraced(function* ({ params }, caller) {
      const id = params.recording_id
      yield* checkLength(caller.request, MAX_DOCUMENT)
      yield* checkRoom(caller)
      const response = yield* passBody("recording", caller.request.body, (body, signal) =>
        recordingOf(caller, id).fetch("http://recording/document", { method: "PUT", body, signal }),
      )
      if (!response.ok) return yield* responseError(response)
      const { recording } = yield* Effect.promise(() => response.json<{ readonly recording: RecordingInfo }>())
      yield* audited(caller, "recording:created", id, sessionOf(recording))
      return json(201, recording, { location: urlOf(id) })
    }),
  )

  handle(
    app,
    contract.createRecordingCheckpoint,
    Effect.fnUntraced(function* ({ params, body }, caller) {
      return json(201, yield* callRecording(caller, params.recording_id, (object) => object.checkpoint(body)))
    }),
  )
}

const urlOf = (id: string): string => `/v1/recordings/${id}`

const sourceOf = Effect.fnUntraced(function* ({ session_id, run_id }: CreateRecording) {
  if (session_id !== undefined && run_id === undefined) return { session_id }
  if (run_id !== undefined && session_id === undefined) return { run_id }
  return yield* session_id === undefined
    ? invalidField("session_id", "is missing. Send it, or run_id.")
    : invalidField("run_id", "can't be combined with session_id. Send only one of the two.")
})

const checkRoom = Effect.fnUntraced(function* ({ env, tenant }: Caller) {
  const count = yield* fromStore(countRecordings(env.DB, tenant))
  if (count < MAX_RECORDINGS) return
  const message = `The tenant has ${count} recordings, which is the maximum. Delete one.`
  return yield* new ApiError({ type: "conflict_error", message })
})

/** The session that was recorded, as the place of the audit's entry. */
const sessionOf = ({ source }: RecordingInfo) => ({ session_id: source.session_id ?? null })
