// What a view with a state begins with.
import type { LiveView } from "./live-view.ts"
import type { SessionBase } from "./session-base.ts"

/** `base` is the session as it was before the first event that the view is given, `options` what its reader asked for. */
export interface ViewStart<Options = unknown> {
  readonly sessionId: string
  readonly base: SessionBase
  readonly options: Options
}

export type MakeView<Options = unknown> = (start: ViewStart<Options>) => LiveView
