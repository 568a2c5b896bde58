// Receives the id of a recording; reads it from its Durable Object, for a playback: pages of answers, in recorded order.
// Invariant: at most `PAGES` pages are in memory, and a call that the platform aborted is retried.
import * as Effect from "effect/Effect"
import type { RpcResult } from "../schemas/errors/rpc-error.ts"
import type { PagedAnswer } from "../schemas/rpc/recorded-page.ts"
import type { RecordingNamespace, RecordingStub } from "../schemas/rpc/recording-rpc.ts"
import { RecordingNotFound } from "./recording-not-found.ts"
import { answerKey, type RecordingReader } from "./recording.ts"

/** The most pages in memory, of about 1 MiB each. */
const PAGES = 4
const RETRIES = 3

/** Opens a recording of the tenant; fails with RecordingNotFound when it does not exist. */
export const openRecordingOf =
  (recordings: RecordingNamespace, tenant: string) =>
  (id: string): Effect.Effect<RecordingReader, RecordingNotFound> => {
    const call = <A>(ask: (object: RecordingStub) => Promise<RpcResult<A>>): Effect.Effect<RpcResult<A>> =>
      Effect.tryPromise(() => ask(recordings.getByName(`${tenant}/${id}`))).pipe(
        Effect.retry({ times: RETRIES }),
        Effect.orDie,
      )
    return Effect.flatMap(
      call((object) => object.info()),
      ({ ok }) => (ok ? Effect.succeed(new PagedReader(call)) : Effect.fail(missing(id))),
    )
  }

const missing = (recording: string): RecordingNotFound =>
  new RecordingNotFound({
    recording,
    hash: "",
    message: `RecordingNotFound: there is no recording ${recording}.`,
  })

/** Calls the recording's object. */
type Call = <A>(ask: (object: RecordingStub) => Promise<RpcResult<A>>) => Effect.Effect<RpcResult<A>>

class PagedReader implements RecordingReader {
  readonly #call: Call
  /** The cached pages, the latest last. */
  #pages: ReadonlyArray<ReadonlyMap<string, PagedAnswer>> = []

  constructor(call: Call) {
    this.#call = call
  }

  readonly find: RecordingReader["find"] = (kind, hash, ordinal) => {
    const key = answerKey({ kind, hash, ordinal })
    for (const page of this.#pages) {
      const held = page.get(key)
      if (held !== undefined) return Effect.succeed(held)
    }
    return Effect.map(
      this.#call((object) => object.answers(kind, hash, ordinal)),
      (answers) => {
        // A recording that was erased meanwhile has no answers.
        if (!answers.ok || answers.value.length === 0) return null
        const page = new Map(answers.value.map((answer) => [answerKey(answer), answer]))
        this.#pages = [...this.#pages.slice(1 - PAGES), page]
        return page.get(key) ?? null
      },
    )
  }

  readonly nearest: RecordingReader["nearest"] = (kind, request) =>
    Effect.map(
      this.#call((object) => object.nearest(kind, request)),
      (answer) => (answer.ok ? answer.value : null),
    )
}
