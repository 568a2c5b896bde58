// A page of what a session has recorded, as the session's object returns it.
import type * as Schema from "effect/Schema"
import type { Signal } from "../signal.ts"

/** An answer to a request of the session; see `RecordedAnswer` of the recording. */
export interface PagedAnswer {
  readonly kind: "model" | "tool" | "hook" | "ask" | "agent"
  readonly hash: string
  readonly ordinal: number
  readonly request: Schema.Json
  readonly response: Schema.Json
}

export interface RecordedPage {
  readonly signals: ReadonlyArray<Signal>
  readonly answers: ReadonlyArray<PagedAnswer>
  readonly chunks: Readonly<Record<string, Schema.Json>>
  /** The `after` of the next page; null on the last page. */
  readonly next: string | null
}
