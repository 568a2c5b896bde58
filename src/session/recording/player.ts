// Plays a recording for a session: every request to the outside is answered from it, and none is sent.
// Invariant: a request that the recording has no answer to ends the turn with an error that says so, also after a restart. An
// answer is marked as used in the transaction of the first event that results from it.
import * as Effect from "effect/Effect"
import type { AskAnswer, Asks, Log, ToolLedger } from "../../agent/ports.ts"
import type { TurnEnd } from "../../agent/messages/result.ts"
import type { MessagesApi } from "../../model/messages-api.ts"
import type { AnswerForm, Exchange } from "../../recording/capture.ts"
import { failureText, notRecorded } from "../../recording/missing/not-recorded.ts"
import type { AnswerKind, RecordedAnswer, RecordingReader } from "../../recording/recording.ts"
import { RecordingNotFound } from "../../recording/recording-not-found.ts"
import { expanded, type HashedRequest, hashRequest, isUnanswered, type Json } from "../../recording/request-hash.ts"
import type { StoredDefinitions } from "../../schemas/definitions.ts"
import { noAnswer } from "../asks/ask-answers.ts"
import type { SessionCore } from "../core.ts"
import type { AskRow } from "../storage/ask-store.ts"
import { logLine } from "../server-log.ts"
import type { LogRider } from "../storage/log-rider.ts"
import { playDefinitions } from "./played-definitions.ts"
import { PlayedFiles } from "./played-files.ts"
import { Ordinals } from "./ordinals.ts"
import { askRequest, idOfCall, LOST_CALL, REGISTRATION } from "./outside-requests.ts"
import { type EndTurn, playedModel } from "./played-model.ts"
import { type NewRow, RecordedTable } from "./recorded-table.ts"
import { askAnswerOf, failureJson, failureOf, lostCallOf, registrationOf } from "./recorded-values.ts"
import type { SessionCapture, TurnControl } from "./session-capture.ts"
import { WholeAnswers } from "./answers/whole-answers.ts"

/** Opens a recording of the session's tenant. */
export type OpenRecording = (id: string) => Effect.Effect<RecordingReader, RecordingNotFound>

/** A turn without an event for this long is at rest: in a playback nothing waits for the outside. */
const QUIET_MS = 10

/** An answer of the recording. Call `use` when the session acts on it, or `release` when it does not. */
export interface Played {
  readonly response: Json
  readonly use: () => void
  readonly release: () => void
}

export class Player implements SessionCapture {
  readonly sends = false
  readonly #core: SessionCore
  readonly #recording: string
  readonly #open: OpenRecording
  #control: TurnControl = NO_TURN
  readonly #table: RecordedTable
  readonly #ordinals: Ordinals
  readonly #files: PlayedFiles
  readonly #answers = new WholeAnswers()
  /** Rows that are to be written with the next event. */
  #due: ReadonlyArray<NewRow> = []
  #writing = 0
  #reader: RecordingReader | null = null
  #failure: RecordingNotFound | null = null
  #prepared: Promise<void> | null = null
  /** Calls whose results were lost in a crash during the recording. */
  readonly #lost = new Set<string>()
  /** Asks that wait for the turn to park before they are answered. */
  readonly #late = new Map<string, () => void>()

  constructor(core: SessionCore, recording: string, open: OpenRecording) {
    this.#core = core
    this.#recording = recording
    this.#open = open
    this.#table = new RecordedTable(core.context.sql)
    this.#ordinals = new Ordinals(this.#table)
    this.#files = new PlayedFiles(core, this.#ordinals)
    for (const row of this.#table.rows()) if (row.kind === "missing") this.#failure ??= failureOf(row.response)
  }

  readonly idOf = idOfCall

  controls(control: TurnControl): void {
    this.#control = control
  }

  readonly rider: LogRider = {
    isDue: () => this.#due.length > 0,
    write: () => {
      this.#writing = this.#due.length
      for (const row of this.#due) this.#table.add(row)
    },
    committed: () => {
      this.#due = this.#due.slice(this.#writing)
      this.#writing = 0
    },
    rolledBack: () => this.#table.reload(),
  }

  #note(row: Pick<NewRow, "kind" | "hash" | "ordinal"> & { readonly response?: string }): void {
    this.#due = [...this.#due, { request: "null", response: "null", ...row }]
  }

  /** The answer to a request; fails with the difference from the nearest one. `whole` returns the request with all its chunks. */
  readonly #find = Effect.fnUntraced(
    { self: this },
    function* (
      this: Player,
      kind: AnswerKind,
      hash: string,
      whole: () => HashedRequest,
      repeats = false,
    ): Effect.fn.Return<Played, RecordingNotFound> {
      if (this.#failure !== null) return yield* this.#failure
      const reader = yield* this.#read()
      const ordinal = this.#ordinals.take(kind, hash)
      const found = yield* reader.find(kind, hash, ordinal)
      const answer = found ?? (repeats ? yield* this.#last(reader, kind, hash, ordinal) : null)
      if (answer === null) {
        const { request, chunks } = whole()
        // Chunks are JSON.
        const chunkOf = (of: string) => (chunks.has(of) ? (JSON.parse(chunks.get(of) ?? "null") as Json) : undefined)
        const asked = { recording: this.#recording, kind, hash, ordinal, request: expanded(request, chunkOf) }
        return yield* this.#fail(yield* notRecorded(reader, asked))
      }
      return {
        response: answer.response,
        use: () => this.#note({ kind, hash, ordinal }),
        release: () => this.#ordinals.release(kind, hash, ordinal),
      }
    },
  )

  /** The last answer with a number below `before`; null when there is none. */
  readonly #last = Effect.fnUntraced(function* (
    reader: RecordingReader,
    kind: AnswerKind,
    hash: string,
    before: number,
  ): Effect.fn.Return<RecordedAnswer | null> {
    for (let ordinal = before - 1; ordinal >= 0; ordinal -= 1) {
      const found = yield* reader.find(kind, hash, ordinal)
      if (found !== null) return found
    }
    return null
  })

  #read(): Effect.Effect<RecordingReader, RecordingNotFound> {
    if (this.#reader !== null) return Effect.succeed(this.#reader)
    return this.#open(this.#recording).pipe(
      Effect.tap((reader) => Effect.sync(() => (this.#reader = reader))),
      Effect.catch((error) => Effect.flip(Effect.succeed(this.#failed(error)))),
    )
  }

  /** An answer that no recorder wrote: a recording's file can be changed before it is uploaded. */
  #unreadable(hash: string): RecordingNotFound {
    const message = `RecordingNotFound: the answer that the recording ${this.#recording} has for the hash ${hash} can't be read.`
    return this.#failed(new RecordingNotFound({ recording: this.#recording, hash, message }))
  }

  #fail(error: RecordingNotFound): Effect.Effect<never, RecordingNotFound> {
    return Effect.fail(this.#failed(error))
  }

  /** Notes a failure and returns the first one: later ones only follow from it. */
  #failed(error: RecordingNotFound): RecordingNotFound {
    if (this.#failure !== null) return this.#failure
    this.#failure = error
    const { recording, hash } = error
    // The difference has data of the tenant: it is in the session's log only.
    logLine("error", "RecordingNotFound", { session: this.#core.id, recording, hash })
    this.#note({ kind: "missing", hash: error.hash, ordinal: 0, response: failureJson(error) })
    return error
  }

  readonly exchange: Exchange = <A, E>(kind: AnswerKind, request: Json, form: AnswerForm<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      const hashed = hashRequest(request)
      return Effect.matchEffect(
        this.#find(kind, hashed.hash, () => hashed, form.repeats),
        {
          onFailure: form.missing,
          onSuccess: ({ response, use }) => {
            use()
            if (isUnanswered(response)) return Effect.never
            return Effect.catchDefect(form.read(response), () => form.missing(this.#unreadable(hashed.hash)))
          },
        },
      )
    })

  models(): MessagesApi["Service"] {
    return playedModel((hash, whole) => this.#find("model", hash, whole), this.#end, this.#answers)
  }

  /** Waits until everything else in the turn is at rest, as it was when a client or a crash ended the turn; then ends it. */
  readonly #end: EndTurn = Effect.fnUntraced({ self: this }, function* (this: Player, how) {
    for (let seq = -1; seq !== this.#core.log.lastSeq;) {
      seq = this.#core.log.lastSeq
      yield* Effect.sleep(QUIET_MS)
    }
    if (how === "crashed") this.#control.takeOver()
    else this.#control.interrupt()
    return yield* Effect.never
  })

  log(port: Log["Service"]): Log["Service"] {
    return this.#answers.log(port)
  }

  asks(port: Asks["Service"]): Asks["Service"] {
    return {
      ...port,
      wait: (requestId) =>
        Effect.suspend(() => {
          const row = this.#core.askStore.find(requestId)
          return row === undefined || row.settled !== null ? port.wait(requestId) : this.#answer(row)
        }),
    }
  }

  /** The recorded answer. Null parks the turn, as it was parked if Notification hooks were fired before the answer. */
  readonly #answer = Effect.fnUntraced(
    { self: this },
    function* (this: Player, row: AskRow): Effect.fn.Return<AskAnswer | null> {
      const hashed = hashRequest(askRequest(row.ask))
      const found = yield* this.#find("ask", hashed.hash, () => hashed).pipe(
        Effect.flatMap(({ response, ...rest }) =>
          Effect.try({
            try: () => ({ ...askAnswerOf(response), ...rest }),
            catch: () => this.#unreadable(hashed.hash),
          }),
        ),
        Effect.result,
      )
      if (found._tag === "Failure") {
        const refused: AskAnswer = { by: "failure", answer: noAnswer(row.ask.kind, failureText(found.failure)) }
        this.#core.asks.settle([row], refused)
        return refused
      }
      const { by, answer, notified, use, release, reply, saved } = found.success
      const settle = () => {
        use()
        const given = { ...(reply === undefined ? {} : { reply }), ...(saved === undefined ? {} : { saved }) }
        this.#core.asks.settle([row], { by, answer, ...given })
      }
      if (by === "interrupt") {
        use()
        return yield* this.#end("interrupted")
      }
      if (by === "hook")
        return yield* Effect.onInterrupt(this.#core.askStore.answerTo(row.requestId), () => Effect.sync(release))
      if (notified && !this.#late.has(row.requestId)) {
        this.#late.set(row.requestId, settle)
        return null
      }
      settle()
      return { by, answer }
    },
  )

  parked(turn: string): void {
    for (const { requestId, turn: of } of this.#core.askStore.open) {
      if (of === turn) this.#late.get(requestId)?.()
    }
  }

  settling(): void {
    // The answers come from the recording.
  }

  async prepare(turn: string | null): Promise<void> {
    const contained = (work: Effect.Effect<void, RecordingNotFound>): Promise<void> =>
      Effect.runPromise(Effect.catchDefect(Effect.ignore(work), () => Effect.sync(() => void this.#unreadable(""))))
    await (this.#prepared ??= contained(this.#prepare()))
    const reader = this.#reader
    if (reader === null) return
    await this.#files.inOrder(() => contained(this.#files.play(reader, turn, (row) => this.#note(row))))
  }

  definitions(): Promise<StoredDefinitions | null> {
    const played = Effect.flatMap(this.#read(), (reader) =>
      playDefinitions(reader, this.#ordinals, (answer) => this.#note(answer)),
    )
    // The turn itself fails when there is no recording.
    return Effect.runPromise(Effect.catch(played, () => Effect.succeed(null)))
  }

  filesChanged(): void {
    // Nothing to record: files that a client changes during a playback only differ from the recording.
  }

  readonly #prepare = Effect.fnUntraced({ self: this }, function* (this: Player): Effect.fn.Return<
    void,
    RecordingNotFound
  > {
    const reader = yield* this.#read()
    const registration = hashRequest(REGISTRATION).hash
    const last = yield* this.#last(reader, "hook", registration, yield* countOf(reader, "hook", registration))
    if (last !== null && this.#core.clients.owner === null) this.#core.clients.restore(registrationOf(last.response))
    const lost = hashRequest(LOST_CALL).hash
    for (let ordinal = 0; ; ordinal += 1) {
      const found = yield* reader.find("tool", lost, ordinal)
      if (found === null) return
      this.#lost.add(lostCallOf(found.response).tool_use_id)
    }
  })

  registered(): void {
    // Nothing to do: a client that registers during a playback does not change it.
  }

  ledger(port: ToolLedger["Service"]): ToolLedger["Service"] {
    return {
      ...port,
      // A playback has no effects outside, so a call that this process lost is made again.
      wasStarted: (id) => this.#lost.has(id) && port.wasStarted(id),
      start: (id, tool, after) =>
        Effect.suspend(() => {
          const isLost = this.#lost.has(id) && !port.wasStarted(id)
          return Effect.andThen(port.start(id, tool, after), isLost ? this.#end("crashed") : Effect.void)
        }),
    }
  }

  endOf(end: TurnEnd): TurnEnd {
    return this.#failure === null
      ? end
      : {
          subtype: "error_during_execution",
          terminalReason: "recording_not_found",
          errors: [failureText(this.#failure)],
        }
  }
}

/** The control until the session is open. */
const NO_TURN: TurnControl = { interrupt: () => undefined, takeOver: () => undefined }

const countOf = Effect.fnUntraced(function* (
  reader: RecordingReader,
  kind: AnswerKind,
  hash: string,
): Effect.fn.Return<number> {
  for (let ordinal = 0; ; ordinal += 1) if ((yield* reader.find(kind, hash, ordinal)) === null) return ordinal
})
