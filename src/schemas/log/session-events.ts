// Payloads of events about the session itself: how it was created, what changed, and what its tenant had stored.
import type { Who } from "../access.ts"
import type { StoredDefinitions } from "../definitions.ts"
import type { RevertInfo } from "../rpc/revert.ts"

/** `session:created`: the session as it was requested, with its secrets masked. */
export interface SessionCreated {
  readonly cwd: string
  readonly title: string | null
  readonly metadata: Readonly<Record<string, string>>
  readonly options: Readonly<Record<string, unknown>>
  /** Who created it. */
  readonly actor?: Who
}

/** `session:changed`: the new values of the fields that changed. */
export interface SessionChanged {
  readonly title?: string | null
  readonly metadata?: Readonly<Record<string, string>>
  readonly options?: Readonly<Record<string, unknown>>
  readonly permissionMode?: string
  /** The MCP servers that `bypassPermissions` does not cover, by name. */
  readonly mcp_modes?: Readonly<Record<string, string>>
  /** The ids of saved approvals that no longer apply. */
  readonly revoked_permissions?: ReadonlyArray<string>
  /** A client resumed the session, with exactly these options. */
  readonly reopened?: true
  /** Who changed it. */
  readonly actor?: Who
}

/** `definitions:loaded`: the tenant's definitions, without secrets; they apply to the turns from here on. */
export interface DefinitionsLoaded {
  readonly version: number
  readonly values: StoredDefinitions["values"]
}

/**
 * `session:forked`: the events up to `through` were copied from another session. The other fields are the values in which the
 * copy differs from its parent, secrets masked; earlier versions did not log them.
 */
export interface SessionForked {
  readonly parent: string
  readonly through: number
  readonly title?: string | null
  readonly metadata?: Readonly<Record<string, string>>
  readonly options?: Readonly<Record<string, unknown>>
  /** Who copied it. */
  readonly actor?: Who
}

/**
 * `head:moved`: the conversation is again what it was right after the event `to_seq`. Its cost stays counted. `revert` is present
 * when the move can be undone before the next prompt; the move that undoes it has `restored`.
 */
export interface HeadMoved {
  readonly to_seq: number
  readonly revert?: RevertInfo
  readonly restored?: true
  /** Present when files were restored too: the checkpoints of the files before and after. */
  readonly files?: { readonly before: string; readonly after: string }
  /** Who reverted, or undid the revert. */
  readonly actor?: Who
}
