// Receives what views know of a session; returns it as opencode's sessions are.
// Invariant: a function of the log: nothing in it says when it was asked for.
import type { SessionBase } from "../live/session-base.ts"

/** A session of opencode's, and what only the Claude SDK knows of one in `sdk`. */
export interface BusSession {
  readonly id: string
  readonly slug: string
  readonly projectID: string
  readonly directory: string
  readonly title: string
  readonly version: string
  readonly time: { readonly created: number; readonly updated: number }
  readonly metadata: Record<string, unknown>
  readonly sdk: {
    readonly sessionId: string
    readonly model?: string
    readonly permissionMode?: string
    readonly tools?: ReadonlyArray<string>
  }
}

/** `updated` is in milliseconds since 1970. */
export const busSession = (id: string, base: SessionBase, updated: number): BusSession => {
  const { title, cwd, created_at: created, metadata, model, permissionMode, tools } = base
  return {
    id,
    slug: id,
    projectID: "global",
    directory: cwd,
    title: title ?? "",
    version: "perch",
    time: { created, updated: Math.max(created, updated) },
    metadata: { ...metadata },
    sdk: {
      sessionId: id,
      ...(model === undefined ? {} : { model }),
      ...(permissionMode === undefined ? {} : { permissionMode }),
      ...(tools === undefined ? {} : { tools }),
    },
  }
}
