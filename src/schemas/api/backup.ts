// The pages of a session's backup: the rows of its tables as they are stored, in an order in which they can be restored.
// Invariant: the rows of `meta` (options, with the secrets of hooks and MCP servers) are sealed: only a server with the same
// key can open them.
import * as Schema from "effect/Schema"
import { Uuid } from "../ids.ts"

/** A value of a row. Bytes are sent as base64; a sealed text can be opened by a server with the key that sealed it. */
export const BackupCell = Schema.Union([
  Schema.Null,
  Schema.String,
  Schema.Finite,
  Schema.Struct({ base64: Schema.String }),
  Schema.Struct({ sealed: Schema.String }),
]).annotate({ identifier: "BackupCell" })
export type BackupCell = typeof BackupCell.Type

export const BackupTable = Schema.Struct({
  name: Schema.String,
  columns: Schema.Array(Schema.String),
  rows: Schema.Array(Schema.Array(BackupCell)),
}).annotate({ identifier: "BackupTable" })
export type BackupTable = typeof BackupTable.Type

/**
 * One page. `through` is the seq of the last event in the backup; `revision` names the state that all pages of one backup
 * share, and stays the same until the session changes. `next_cursor` is null on the last page.
 */
export const BackupPage = Schema.Struct({
  format: Schema.Literal(1),
  tenant: Schema.String,
  session_id: Uuid,
  revision: Schema.String.check(
    Schema.isPattern(/^[0-9a-f]{64}$/, { message: "Expected 64 hexadecimal digits in small letters" }),
  ),
  through: Schema.Int,
  page: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 })),
  tables: Schema.Array(BackupTable),
  next_cursor: Schema.NullOr(Schema.String),
}).annotate({ identifier: "BackupPage" })
export type BackupPage = typeof BackupPage.Type

/**
 * The progress of a restore: pages below `next_page` are written. `complete` means that the session exists now, with
 * `events` events and `files` nodes in its workspace.
 */
export const RestoreReport = Schema.Struct({
  session_id: Uuid,
  next_page: Schema.Int,
  complete: Schema.Boolean,
  events: Schema.optionalKey(Schema.Int),
  files: Schema.optionalKey(Schema.Int),
}).annotate({ identifier: "RestoreReport" })
export type RestoreReport = typeof RestoreReport.Type

/** A session of a tenant. An erased session has nothing to export; its id prevents that an older backup restores it. */
export const ExportedSession = Schema.Struct({
  id: Uuid,
  erased_at: Schema.NullOr(Schema.String),
}).annotate({ identifier: "ExportedSession" })
export type ExportedSession = typeof ExportedSession.Type
