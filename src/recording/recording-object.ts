// The Durable Object of a recording: receives what a session or a run has recorded, or an uploaded document; returns it page by
// page to playbacks and readers.
// Invariant: a recording exists when all of it is stored; an attempt that could not be completed leaves nothing, and nothing of
// an existing recording is changed but its checkpoints.
import { DurableObject } from "cloudflare:workers"
import * as Effect from "effect/Effect"
import { byteStream } from "../net/byte-stream.ts"
import type { Env } from "../schemas/env.ts"
import type { CreateCheckpoint, ErasedRecording, RecordingInfo } from "../schemas/api/recordings.ts"
import {
  errorResponse,
  ok,
  refused,
  repetitionRefusal,
  type RpcResult,
  UNAVAILABLE,
} from "../schemas/errors/rpc-error.ts"
import type { RecordingRpc } from "../schemas/rpc/recording-rpc.ts"
import { dropRecording, indexRecording } from "../store/recordings.ts"
import { StoreError } from "../store/store-error.ts"
import { documentPieces } from "./document/write-document.ts"
import { compareReplay } from "./compare-replay.ts"
import { RecordingBook } from "./recording-book.ts"
import { copyRecorded } from "./copy-recorded.ts"
import { importDocument } from "./document/import-document.ts"

type Answer<Name extends keyof RecordingRpc> = ReturnType<RecordingRpc[Name]>

/** How long to wait before writing the row to D1 again, after a failure. */
const RETRY_MS = 10_000

export class RecordingObject extends DurableObject<Env> implements RecordingRpc {
  readonly #tenant: string
  readonly #book: RecordingBook
  /** True while a recording is being made. */
  #busy = false
  /** True while it is being erased. */
  #erasing = false

  /** The object's name is `tenant/recording-id`. */
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    const name = ctx.id.name ?? ""
    const slash = name.indexOf("/")
    this.#tenant = name.slice(0, slash)
    this.#book = new RecordingBook(ctx.storage, name.slice(slash + 1))
  }

  async record(args: Parameters<RecordingRpc["record"]>[0]): Answer<"record"> {
    const known = this.#book.info()
    if (known !== null) {
      const { fingerprint } = this.#book
      if (args.fingerprint === undefined || fingerprint === undefined) return EXISTS
      const other = repetitionRefusal(fingerprint, args.fingerprint, EXISTS)
      return other ?? ok({ recording: known, created: false })
    }
    return this.#make(() => copyRecorded(this.#book, this.env, this.#tenant, args, Date.now()))
  }

  override async fetch(request: Request): Promise<Response> {
    if (request.method === "PUT") {
      const { body } = request
      const imported = await this.#make(() => importDocument(this.#book, body))
      if (imported.ok) return Response.json(imported.value)
      // Reads the rest of the body: a client that is still sending would otherwise see a closed connection, not the answer.
      if (body?.locked === false) await body.pipeTo(new WritableStream()).catch(() => undefined)
      return errorResponse(imported.error)
    }
    const metadata = this.#book.metadataText()
    if (metadata === undefined) return errorResponse(NOT_FOUND.error)
    const { rows, id } = this.#book
    return new Response(byteStream(documentPieces(rows, id, metadata)), {
      headers: { "content-type": "application/json" },
    })
  }

  /** Makes the recording; when that fails, its rows are removed. */
  async #make(
    make: () => Promise<RpcResult<boolean>>,
  ): Promise<RpcResult<{ readonly recording: RecordingInfo; readonly created: boolean }>> {
    if (this.#busy) return IS_MADE
    // An existing recording is left untouched.
    if (this.#book.exists) return EXISTS
    this.#busy = true
    try {
      const made = await make().catch((error: unknown) => {
        this.#book.clear()
        throw error
      })
      if (!made.ok) {
        this.#book.clear()
        return made
      }
      const recording = this.#book.info()
      if (recording === null) throw new Error("a recording that was made has no metadata")
      if (made.value) await this.#index(recording)
      return ok({ recording, created: made.value })
    } finally {
      this.#busy = false
    }
  }

  /** Writes the recording's row to D1 at once, or by the alarm when D1 is available again. */
  async #index(recording: RecordingInfo): Promise<void> {
    this.#guard()
    const written = await Effect.runPromise(Effect.result(indexRecording(this.env.DB, this.#tenant, recording)))
    if (written._tag === "Success") await this.ctx.storage.deleteAlarm()
  }

  /** Sets the alarm that writes the row, also if this process dies. It is one write with what was stored just before. */
  #guard(): void {
    void this.ctx.storage.setAlarm(Date.now() + RETRY_MS)
  }

  override async alarm(): Promise<void> {
    if (this.#erasing) return this.#guard()
    const recording = this.#book.info()
    if (recording !== null) await this.#index(recording)
  }

  async info(): Answer<"info"> {
    return found(this.#book.info())
  }

  async events(query: Parameters<RecordingRpc["events"]>[0]): Answer<"events"> {
    return found(this.#book.events(query))
  }

  async checkpoint(checkpoint: CreateCheckpoint): Answer<"checkpoint"> {
    return this.#book.checkpoint(checkpoint, Date.now())
  }

  async erase(): Promise<RpcResult<ErasedRecording>> {
    const recording = this.#book.info()
    if (recording === null || this.#erasing) return NOT_FOUND
    this.#erasing = true
    try {
      return await this.#erase(recording)
    } finally {
      this.#erasing = false
    }
  }

  /** Until all of it is removed, the alarm lists the recording again. */
  async #erase(recording: RecordingInfo): Promise<RpcResult<ErasedRecording>> {
    this.#guard()
    const dropped = await Effect.runPromise(Effect.result(dropRecording(this.env.DB, this.#tenant, recording.id)))
    if (dropped._tag === "Failure") return dropped.failure instanceof StoreError ? UNAVAILABLE : NOT_FOUND
    await this.ctx.storage.deleteAlarm()
    await this.ctx.storage.deleteAll()
    this.#book.forget()
    const { id, signals, answers } = recording
    return ok({ id, deleted: true, deleted_at: new Date().toISOString(), signals, answers })
  }

  async replayPlan(): Answer<"replayPlan"> {
    const plan = this.#book.plan()
    return plan === "large" ? TOO_MANY_PROMPTS : found(plan)
  }

  async compare(replay: Parameters<RecordingRpc["compare"]>[0]): Answer<"compare"> {
    return this.#book.exists ? compareReplay(this.#book, this.env, this.#tenant, replay) : NOT_FOUND
  }

  async answers(...[kind, hash, ordinal]: Parameters<RecordingRpc["answers"]>): Answer<"answers"> {
    return found(this.#book.answers(kind, hash, ordinal))
  }

  async nearest(...[kind, request]: Parameters<RecordingRpc["nearest"]>): Answer<"nearest"> {
    return this.#book.exists ? ok(this.#book.nearest(kind, request)) : NOT_FOUND
  }
}

const NOT_FOUND = refused("not_found_error", "there is no such recording")
const EXISTS = refused("conflict_error", "A recording with this id exists. Choose another id, or delete it first.")
const IS_MADE = refused("conflict_error", "Another request is creating the recording. Wait until it has finished.")
const TOO_MANY_PROMPTS = refused(
  "conflict_error",
  "The recording is too large to be replayed by the server: more than 24 MiB of prompts.",
)

const found = <A>(value: A | null): RpcResult<A> => (value === null ? NOT_FOUND : ok(value))
