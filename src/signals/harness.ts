// The port to a model for agents' turns: a prompt is answered with a text, as a whole or in pieces.
// Invariant: the joined pieces of `stream` are the text that `complete` would return.
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { RecordingNotFound } from "../recording/recording-not-found.ts"
import type { HarnessError } from "./errors.ts"

/** Options from an agent's definition. */
export interface HarnessOptions {
  /** Replaces the harness's own model. */
  readonly model?: string
}

/** Answers prompts: a model, the offline model, or a recording. */
export class HarnessService extends Context.Service<
  HarnessService,
  {
    /** Only the harness of a recording fails with `RecordingNotFound`. */
    complete(prompt: string, options?: HarnessOptions): Effect.Effect<string, HarnessError | RecordingNotFound>
    stream(prompt: string, options?: HarnessOptions): Stream.Stream<string, HarnessError | RecordingNotFound>
  }
>()("perch/signals/harness") {}
