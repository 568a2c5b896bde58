// The run that a request to `POST /v1/ag-ui` starts or resumes. The AG-UI view that gets it sends only the events of this run.

export interface RequestedRun {
  readonly threadId: string
  readonly runId: string
  readonly parentRunId?: string
  /** Sent by clients of AG-UI 1.0. The schemas of older clients reject fields of an outcome that they don't know. */
  readonly protocolVersion?: string
  /** The client's own state; the view sends it back with the session's todos added. */
  readonly state?: Readonly<Record<string, unknown>>
  /** The messages that the client should have when the run starts (`MESSAGES_SNAPSHOT`). */
  readonly messages?: ReadonlyArray<unknown>
  /** The turn that the run starts, or the asks that it answers. */
  readonly begins: { readonly turn: string } | { readonly asks: ReadonlySet<string> }
  /** Calls whose results the client already has: it sent them, or has them from the previous run. */
  readonly answered: ReadonlySet<string>
}
