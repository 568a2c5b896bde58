// A harness with a test's answers; it records the prompts that it was sent.
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { HarnessError } from "../../../src/signals/errors.ts"
import type { HarnessOptions, HarnessService } from "../../../src/signals/harness.ts"

export interface ScriptedHarness {
  readonly harness: HarnessService["Service"]
  readonly prompts: Array<string>
  readonly options: Array<HarnessOptions>
}

/** Answers with the chunks, or the whole text, that `answer` returns for a prompt; fails with what it throws. */
export const scriptedHarness = (answer: (prompt: string) => string | ReadonlyArray<string>): ScriptedHarness => {
  const prompts: Array<string> = []
  const given: Array<HarnessOptions> = []
  const piecesFor = (prompt: string, options: HarnessOptions = {}) =>
    Effect.try({
      try: () => {
        prompts.push(prompt)
        given.push(options)
        return [answer(prompt)].flat()
      },
      catch: (cause) => new HarnessError({ message: String(cause), cause }),
    })
  return {
    prompts,
    options: given,
    harness: {
      complete: (prompt, options) => Effect.map(piecesFor(prompt, options), (pieces) => pieces.join("")),
      stream: (prompt, options) =>
        Stream.unwrap(Effect.map(piecesFor(prompt, options), (pieces) => Stream.fromIterable(pieces))),
    },
  }
}

/** An answer in the JSON form that agents must return. */
export const answerOf = (...signals: ReadonlyArray<{ readonly name: string; readonly payload?: unknown }>): string =>
  JSON.stringify({ signals })
