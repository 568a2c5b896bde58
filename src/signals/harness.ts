// What an agent's turn needs of a model: a text for a prompt, whole or in pieces.
// Invariant: the pieces of `stream`, joined, are what `complete` would return.
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { RecordingNotFound } from "../recording/recording-not-found.ts"
import type { HarnessError } from "./errors.ts"

/** What an agent's definition says beyond the prompt. */
export interface HarnessOptions {
  /** In the place of the harness's own model. */
  readonly model?: string
}

/** Answers prompts: a model, the offline model, or a recording. */
export class HarnessService extends Context.Service<
  HarnessService,
  {
    /** `RecordingNotFound` comes from the harness of a recording alone. */
    complete(prompt: string, options?: HarnessOptions): Effect.Effect<string, HarnessError | RecordingNotFound>
    stream(prompt: string, options?: HarnessOptions): Stream.Stream<string, HarnessError | RecordingNotFound>
  }
>()("perch/signals/harness") {}
