// Payloads of events about the session itself: what it was made with, what changed, and what its tenant had stored.
import type { Who } from "../access.ts"
import type { StoredDefinitions } from "../definitions.ts"

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
