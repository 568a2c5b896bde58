// The run that one request of `POST /v1/ag-ui` is answered with, as the view of its session's events gets it.
/** The run that a request asked for: only its events are sent. */
export interface RequestedRun {
  readonly threadId: string
  readonly runId: string
  readonly parentRunId?: string
  /** The client's own state: kept, with the session's todos in it. */
  readonly state?: Readonly<Record<string, unknown>>
  /** The messages that the client is to have when the run begins. */
  readonly messages?: ReadonlyArray<unknown>
  /** The turn that it begins, or the asks that it answers. */
  readonly begins: { readonly turn: string } | { readonly asks: ReadonlySet<string> }
  /** Calls whose results the client has: it gave them, or keeps them of the run before. */
  readonly answered: ReadonlySet<string>
}
