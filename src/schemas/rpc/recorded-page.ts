// A page of what a recording of a session holds, as the session's object gives it.
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
  /** `after` of the next page; null behind the last one. */
  readonly next: string | null
}
