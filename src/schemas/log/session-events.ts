// Payloads of events about the session itself: what it was made with, what changed, and what its tenant had stored.
import type { Who } from "../access.ts"
import type { StoredDefinitions } from "../definitions.ts"
import type { RevertInfo } from "../rpc/revert.ts"

/** `session:created`: the session as it was asked for, its secrets masked. */
export interface SessionCreated {
  readonly cwd: string
  readonly title: string | null
  readonly metadata: Readonly<Record<string, string>>
  readonly options: Readonly<Record<string, unknown>>
  /** Who created it. */
  readonly actor?: Who
}

/** `session:changed`: what has other values from now on. */
export interface SessionChanged {
  readonly title?: string | null
  readonly metadata?: Readonly<Record<string, string>>
  readonly options?: Readonly<Record<string, unknown>>
  readonly permissionMode?: string
  /** Of MCP servers that `bypassPermissions` does not cover, by their name. */
  readonly mcp_modes?: Readonly<Record<string, string>>
  /** Ids of saved approvals that hold no more. */
  readonly revoked_permissions?: ReadonlyArray<string>
  /** A client took the session up again, with exactly these options. */
  readonly reopened?: true
  /** Who changed it. */
  readonly actor?: Who
}

/** `definitions:loaded`: what the tenant had stored for its sessions, without secrets; it holds for the turns from here on. */
export interface DefinitionsLoaded {
  readonly version: number
  readonly values: StoredDefinitions["values"]
}

/**
 * `session:forked`: what came before, up to `through`, was copied from another session. The rest is what the copy has instead
 * of its parent's, secrets masked; earlier versions did not log it.
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
 * `head:moved`: the conversation is again what it was right after the event `to_seq`. What it cost stays counted. `revert` is there
 * when `restored` may follow before the next prompt: that brings back the conversation which the revert left.
 */
export interface HeadMoved {
  readonly to_seq: number
  readonly revert?: RevertInfo
  readonly restored?: true
  /** The files moved too: the checkpoints of what they were before and after. */
  readonly files?: { readonly before: string; readonly after: string }
  /** Who reverted, or took it back. */
  readonly actor?: Who
}
