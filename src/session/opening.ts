// Opens a session from its record: when it is made, and whenever its object starts.
import type * as ManagedRuntime from "effect/ManagedRuntime"
import type { MessagesApi } from "../model/messages-api.ts"
import { Blobs } from "../workspace/blobs.ts"
import type { SessionErasure } from "./erasure.ts"
import type { Feed } from "./feed/feed.ts"
import type { SessionLife } from "./life.ts"
import type { Maintenance } from "./maintenance.ts"
import { Media } from "./media/media.ts"
import type { ObjectContext } from "./object-context.ts"
import { OpenSession } from "./open-session.ts"
import { openRecordingOf } from "../recording/rpc-reader.ts"
import { Meta, type SessionRecord } from "./storage/meta.ts"
import { modelRuntime } from "./turns/model-runtime.ts"
import type { TenantShare } from "./lanes/tenant-share.ts"

export interface OpeningParts {
  readonly context: ObjectContext
  readonly life: SessionLife
  readonly feed: Feed
  readonly share: TenantShare
  readonly maintenance: Maintenance
  readonly erasure: SessionErasure
  /** Sends a change to D1 and the Queue, and checks whether a session that is not kept is to be erased. */
  readonly afterWrite: () => void
}

export class SessionOpening {
  readonly #parts: OpeningParts
  #runtime: ManagedRuntime.ManagedRuntime<MessagesApi, never> | null = null

  constructor(parts: OpeningParts) {
    this.#parts = parts
  }

  /** Builds the session of a record. The caller sets the session's life to `open`. */
  build(record: SessionRecord): OpenSession {
    const { env, sql, tenant } = this.#parts.context
    this.#runtime ??= modelRuntime(env, (text) => new Media(new Blobs(sql)).bytes(text))
    return new OpenSession({
      ...this.#parts,
      record,
      meta: new Meta(sql),
      runtime: this.#runtime,
      openRecording: openRecordingOf(env.RECORDINGS, tenant),
    })
  }
}
