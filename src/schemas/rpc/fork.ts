// What a fork reads of its parent: one moment of the session, in pages.
// Invariant: all pages of one `ExportCut` are of the same moment.
import type { EventHead } from "../log/events.ts"
import type { Actor } from "../access.ts"
import type { SessionOptions } from "../sdk/options/options.ts"
import type { PermissionUpdate } from "../sdk/options/permissions.ts"
import type { NewSession } from "./session.ts"

/** Absent fields are the parent's own; `merge` puts `options` over the parent's, otherwise they replace them. */
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

/** What a fork is made of: events up to `through`, files as they were at the checkpoint `tree`. */
export interface ExportCut {
  readonly through: number
  readonly tree: string
}

export interface ExportStart {
  readonly cut: ExportCut
  /** The session as `SessionRecord` has it; `head` is the place of the message `at` in the copy. */
  readonly session: NewSession & { readonly permission_updates: ReadonlyArray<PermissionUpdate> }
  readonly head: number | null
  /** What the session has taken of its project's settings files, by their sources. */
  readonly project_settings?: Readonly<Record<string, object>>
}

/** An event with its place in the copy. One that is too long for a page is the blob `blob`. */
export interface ExportedEvent extends EventHead {
  readonly json: string | null
  readonly blob: string | null
  /** The text as it is stored contains marks of media, see `media-mark.ts`. */
  readonly marked: boolean
  /** The prompt's row of the inbox, on its `turn:queued`. */
  readonly prompt?: { readonly fingerprint: string; readonly result_seq: number }
}

/** `next` is the `after` of the next page, or null. */
export interface ExportedEvents {
  readonly events: ReadonlyArray<ExportedEvent>
  readonly next: number | null
}

/** A file, directory or symlink; `hash` names the content of a file. */
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
