// Sessions that are recorded and played back, for the tests of this folder.
import { Effect } from "effect"
import { expect } from "vitest"
import { memoryReader } from "../../../src/recording/memory-reader.ts"
import type { RecordedAnswer, RecordingReader } from "../../../src/recording/recording.ts"
import type { Json } from "../../../src/recording/request-hash.ts"
import { RecordingNotFound } from "../../../src/recording/recording-not-found.ts"
import type { Signal } from "../../../src/schemas/signal.ts"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import type { SessionCore } from "../../../src/session/core.ts"
import { recordedPage } from "../../../src/session/recording/recorded-page.ts"
import type { loop } from "../../support/session/loop.ts"
import { type Booted, prompt, type SessionHarness } from "../../support/session/session-harness.ts"

export interface Taken {
  readonly signals: ReadonlyArray<Signal>
  readonly answers: ReadonlyArray<RecordedAnswer>
  readonly chunks: Readonly<Record<string, Json>>
}

/** All pages of a session. */
export const takeRecording = (session: SessionCore): Taken => {
  const signals: Array<Signal> = []
  const answers: Array<RecordedAnswer> = []
  const chunks: Record<string, Json> = {}
  for (let after: string | null = null; ;) {
    const page = recordedPage(session, after)
    if ("refused" in page) throw new Error(page.refused.message)
    signals.push(...page.signals)
    answers.push(...page.answers)
    Object.assign(chunks, page.chunks)
    if (page.next === null) return { signals, answers, chunks }
    after = page.next
  }
}

export const RECORD: SessionOptions = { runtime: { mode: "record" } }

/** Returns a booted session that plays the recording. */
export const playing = (
  setting: Pick<ReturnType<typeof loop>, "harnessOf">,
  taken: Pick<Taken, "answers" | "chunks">,
  options: SessionOptions = {},
): { readonly harness: SessionHarness; readonly booted: Booted } => {
  const harness = setting.harnessOf({ ...options, runtime: { mode: "playback", recording: "rec" } })
  harness.openRecording = () => Effect.succeed<RecordingReader>(memoryReader(taken))
  return { harness, booted: harness.boot() }
}

export const noRecording = (recording: string) =>
  Effect.fail(
    new RecordingNotFound({ recording, hash: "", message: `RecordingNotFound: there is no recording ${recording}.` }),
  )

/** Sends prompts one after the other. */
export const prompts = async (booted: Booted, texts: ReadonlyArray<string>): Promise<void> => {
  for (const text of texts) {
    prompt(booted.session, text)
    await booted.idle()
  }
}

export const resultsOf = (taken: Taken): ReadonlyArray<Record<string, Json>> =>
  taken.signals.flatMap(({ name, payload }) =>
    // The payload of a result is an object.
    name.startsWith("sdk:result:") ? [payload as Record<string, Json>] : [],
  )

export const expectSame = (difference: unknown) => expect(difference).toBeNull()
