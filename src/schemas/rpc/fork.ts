// What a fork reads of its parent: a snapshot of the session, in pages.
// Invariant: all pages of one `ExportCut` belong to the same snapshot.
import type { EventHead } from "../log/events.ts"
import type { Actor } from "../access.ts"
import type { SessionOptions } from "../sdk/options/options.ts"
import type { PermissionUpdate } from "../sdk/options/permissions.ts"
import type { NewSession } from "./session.ts"

/** Absent fields are the parent's; `merge` merges `options` into the parent's, otherwise they replace them. */
export interface ForkArgs {
  readonly actor?: Actor
  readonly parent: string
  readonly at?: string
  readonly title?: string | null
  readonly metadata?: Record<string, string>
  readonly options: SessionOptions
  readonly merge: boolean
  readonly fingerprint?: string
}

/** The snapshot that a fork copies: the events up to `through`, and the files of the checkpoint `tree`. */
export interface ExportCut {
  readonly through: number
  readonly tree: string
}

export interface ExportStart {
  readonly cut: ExportCut
  /** The session's fields of `SessionRecord`; `head` is the seq of the message `at` in the copy. */
  readonly session: NewSession & { readonly permission_updates: ReadonlyArray<PermissionUpdate> }
  readonly head: number | null
  /** The project's settings that the session has applied, by their sources. */
  readonly project_settings?: Readonly<Record<string, object>>
}

/** An event with its seq in the copy. The JSON of an event that is too long for a page is in the blob `blob`. */
export interface ExportedEvent extends EventHead {
  readonly json: string | null
  readonly blob: string | null
  /** True when the stored text contains media marks, see `media-mark.ts`. */
  readonly marked: boolean
  /** The prompt's row of the inbox, on its `turn:queued`. */
  readonly prompt?: { readonly fingerprint: string; readonly result_seq: number }
}

/** `next` is the `after` of the next page, or null. */
export interface ExportedEvents {
  readonly events: ReadonlyArray<ExportedEvent>
  readonly next: number | null
}

/** A file, directory or symlink; `hash` is the SHA-256 of a file's content. */
export interface ExportedFile {
  readonly path: string
  readonly type: "file" | "directory" | "symlink"
  readonly mode: number
  readonly mtime: number
  readonly size: number
  readonly hash: string
  readonly target: string
}

export interface ExportedFiles {
  readonly files: ReadonlyArray<ExportedFile>
  readonly next: string | null
}

export interface ExportedChunk {
  readonly hash: string
  readonly last: boolean
  readonly data: Uint8Array
}
