// Receives what views know about a session; returns it in the shape of opencode's sessions.
// Invariant: a function of the log: the result does not depend on when it is requested.
import type { SessionBase } from "../live/session-base.ts"

/** A session in opencode's shape; `sdk` has the facts that only the Claude SDK knows. */
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
