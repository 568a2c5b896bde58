// The arguments with which a stateful view is created.
import type { LiveView } from "./live-view.ts"
import type { SessionBase } from "./session-base.ts"

/** `base` is the session before the first event that the view receives; `options` are the reader's query parameters. */
export interface ViewStart<Options = unknown> {
  readonly sessionId: string
  readonly base: SessionBase
  readonly options: Options
}

export type MakeView<Options = unknown> = (start: ViewStart<Options>) => LiveView
