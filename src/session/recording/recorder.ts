// Records the answers that a session gets from the outside: those of the model, of hooks, MCP servers and URLs, and of
// people.
// Invariant: an answer is written in the transaction of the first event that results from it: the log never has what the
// recording lacks. An answer that a crash cuts off is kept as far as the log has it.
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type { AskAnswer, ToolLedger } from "../../agent/ports.ts"
import { type CompletedAnswer, type MessagesApi, ModelError } from "../../model/messages-api.ts"
import type { AnswerForm, Exchange } from "../../recording/capture.ts"
import { jsonOf } from "../../recording/forms.ts"
import { errorFields, type ModelAnswer } from "../../recording/model-answer.ts"
import { ModelRequests } from "../../recording/model-request.ts"
import type { AnswerKind } from "../../recording/recording.ts"
import { type HashedRequest, hashRequest, type Json, UNANSWERED } from "../../recording/request-hash.ts"
import type { StoredDefinitions } from "../../schemas/definitions.ts"
import type { NewEvent } from "../../schemas/log/events.ts"
import type { AskRow } from "../storage/ask-store.ts"
import type { LogRider } from "../storage/log-rider.ts"
import type { Registration } from "../storage/meta.ts"
import type { SessionCore } from "../core.ts"
import { changesAt, FILE_CHANGE } from "./client-files.ts"
import { endCutOff } from "./answers/cut-off.ts"
import { askRequest, DEFINITIONS, idOfCall, LOST_CALL, REGISTRATION } from "./outside-requests.ts"
import { Ordinals } from "./ordinals.ts"
import { RecordedTable } from "./recorded-table.ts"
import type { SessionCapture } from "./session-capture.ts"
import { StreamedAnswer } from "./answers/streamed-answer.ts"

/** A request that was sent. */
interface Asked extends Pick<HashedRequest, "hash" | "json"> {
  readonly kind: AnswerKind
  readonly ordinal: number
  /** Its row, once it has one. */
  row: number | null
  /** Its answer as JSON, once it is known and until it is written. */
  response: string | null
  /** The answer that streams. */
  stream: StreamedAnswer | null
}

export class Recorder implements SessionCapture {
  readonly #core: Pick<SessionCore, "log" | "context" | "inbox" | "workspace">
  readonly #table: RecordedTable
  readonly #ordinals: Ordinals
  readonly #known: Set<string>
  readonly #requests: ModelRequests
  /** Chunks that are to be written. */
  readonly #chunks = new Map<string, string>()
  /** Requests whose answer streams, or is to be written. */
  readonly #open = new Set<Asked>()
  readonly #lost = new Set<string>()
  readonly sends = true
  #written: { readonly asked: ReadonlyArray<readonly [Asked, number]>; readonly chunks: ReadonlyArray<string> } = NONE

  constructor(core: Pick<SessionCore, "log" | "context" | "inbox" | "workspace">) {
    this.#core = core
    this.#table = new RecordedTable(core.context.sql)
    this.#ordinals = new Ordinals(this.#table)
    this.#known = this.#table.chunkHashes()
    this.#requests = new ModelRequests(this.#known)
  }

  readonly rider: LogRider = {
    isDue: (events) => this.#isDue(events),
    write: () => this.#write(),
    committed: () => this.#committed(),
    rolledBack: () => this.#table.reload(),
  }

  readonly idOf = idOfCall

  controls(): void {
    // A recorded turn needs no control. The log can be read from here on, so answers that a crash cut off are ended.
    endCutOff(this.#table, this.#core.log)
  }

  #isDue(events: ReadonlyArray<NewEvent>): boolean {
    let isDue = false
    for (const one of this.#open) {
      one.stream?.see(events)
      if (one.stream?.isKept === true) this.#open.delete(one)
      else if (one.response !== null || one.stream?.isDue === true) isDue = true
    }
    return isDue
  }

  #write(): void {
    let chunks = [...this.#chunks]
    const given: Array<string> = []
    const asked: Array<readonly [Asked, number]> = []
    for (const one of this.#open) {
      const due = one.stream?.due() ?? null
      const response = due === null ? one.response : JSON.stringify(due.answer)
      if (response === null) continue
      if (due?.state === "final") one.response = response
      const isOpen = due?.state === "open"
      if (one.row === null) {
        const { kind, hash, ordinal, json } = one
        asked.push([one, this.#table.add({ kind, hash, ordinal, request: json, response }, chunks, isOpen)])
        // The first row has the chunks of all: later requests refer to them.
        given.push(...chunks.map(([chunk]) => chunk))
        chunks = []
      } else {
        this.#table.change(one.row, response, isOpen)
        asked.push([one, one.row])
      }
    }
    this.#written = { asked, chunks: given }
  }

  #committed(): void {
    const { asked, chunks } = this.#written
    this.#written = NONE
    for (const [one, row] of asked) {
      one.row = row
      if (one.response !== null) this.#open.delete(one)
      else one.stream?.written()
    }
    for (const hash of chunks) {
      this.#known.add(hash)
      this.#chunks.delete(hash)
    }
  }

  #ask(kind: AnswerKind, hashed: HashedRequest): Asked {
    for (const [hash, text] of hashed.chunks) if (!this.#known.has(hash)) this.#chunks.set(hash, text)
    const ordinal = this.#ordinals.take(kind, hashed.hash)
    const { hash, json } = hashed
    const asked: Asked = { kind, hash, json, ordinal, row: null, response: null, stream: null }
    this.#open.add(asked)
    return asked
  }

  #answered(asked: Asked, response: Json): void {
    asked.response = JSON.stringify(response)
  }

  readonly exchange: Exchange = <A, E>(
    kind: AnswerKind,
    request: Json,
    form: AnswerForm<A, E>,
    ask: Effect.Effect<A, E>,
  ): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      const asked = this.#ask(kind, hashRequest(request))
      return Effect.onExit(ask, (exit) =>
        Effect.sync(() => {
          const answer = resultOf(exit)
          this.#answered(asked, answer === null ? UNANSWERED : form.write(answer))
        }),
      )
    })

  /** Records an answer that is known already. */
  #note(kind: AnswerKind, request: Json, response: Json): void {
    this.#answered(this.#ask(kind, hashRequest(request)), response)
  }

  models(api: MessagesApi["Service"]): MessagesApi["Service"] {
    return {
      stream: (request, context, use) =>
        Effect.suspend(() => {
          const asked = this.#ask("model", this.#requests.hash(request, { streams: true, betas: context.betas }))
          return api
            .stream(request, context, ({ requestId, next, breaks }) => {
              const stream = new StreamedAnswer(requestId)
              asked.stream = stream
              const taken = next.pipe(
                Effect.tap((events) => Effect.sync(() => stream.take(events))),
                Effect.tapError((error) =>
                  Effect.sync(() => stream.ended({ error: errorFields(error), breaks: breaks() })),
                ),
              )
              return use({ requestId, breaks, next: taken })
            })
            .pipe(Effect.onExit((exit) => Effect.sync(() => this.#left(asked, exit))))
        }),
      complete: (request, context) =>
        Effect.suspend(() => {
          const asked = this.#ask("model", this.#requests.hash(request, { streams: false, betas: context.betas }))
          return Effect.onExit(api.complete(request, context), (exit) =>
            Effect.sync(() => this.#answered(asked, jsonOf(completed(exit)))),
          )
        }),
    }
  }

  /** Call it when nothing waits for the answer any more. */
  #left(asked: Asked, exit: Exit.Exit<unknown, unknown>): void {
    if (asked.stream !== null) return asked.stream.left(Exit.isSuccess(exit) ? {} : { cut: "interrupted" })
    const error = Exit.isFailure(exit) ? Cause.findErrorOption(exit.cause) : undefined
    if (error?._tag === "Some" && error.value instanceof ModelError)
      this.#answered(asked, jsonOf({ request_id: null, error: errorFields(error.value) }))
    else this.#answered(asked, UNANSWERED)
  }

  log: SessionCapture["log"] = (port) => port

  asks: SessionCapture["asks"] = (port) => port

  settling(asks: ReadonlyArray<AskRow>, answer: AskAnswer): void {
    for (const row of asks)
      this.#note("ask", askRequest(row.ask), jsonOf({ ...answer, notified: this.#wasNotified(row) }))
  }

  /** Whether Notification hooks were fired about the ask. */
  #wasNotified({ ask, openedAt }: AskRow): boolean {
    const { log } = this.#core
    const after = (log.firstAt(openedAt)?.seq ?? log.lastSeq) - 1
    return log
      .read({ after, limit: 1000, order: "asc", name: "hook:fired" })
      .some(
        ({ event: { payload } }) =>
          payload.hook_event_name === "Notification" &&
          payload.input["notification_type"] === "permission_prompt" &&
          String(payload.input["message"]).endsWith(` ${ask.tool_name}`),
      )
  }

  registered(registration: Registration): void {
    this.#note(
      "hook",
      REGISTRATION,
      jsonOf({ ...registration, client: registration.client === null ? null : "client" }),
    )
  }

  ledger(port: ToolLedger["Service"]): ToolLedger["Service"] {
    return {
      ...port,
      // A call that an earlier process started, and that has no result.
      wasStarted: (id) => {
        const lost = port.wasStarted(id)
        if (lost && !this.#lost.has(id)) {
          this.#lost.add(id)
          this.#note("tool", LOST_CALL, { tool_use_id: id })
        }
        return lost
      },
    }
  }

  endOf: SessionCapture["endOf"] = (end) => end

  filesChanged(path: string): void {
    const { context, inbox, log, workspace } = this.#core
    const prompts = inbox.countThrough(log.lastSeq)
    // Written at once: no event comes with a change of files, and each change may be long.
    for (const change of changesAt(workspace, path, prompts)) {
      this.#note("tool", FILE_CHANGE, change)
      context.transactionSync(() => this.#write())
      this.#committed()
    }
  }

  prepare(): Promise<void> {
    return Promise.resolve()
  }

  async definitions(load: () => Promise<StoredDefinitions>): Promise<StoredDefinitions> {
    const stored = await load()
    this.#note("tool", DEFINITIONS, jsonOf({ version: stored.version, values: stored.values }))
    return stored
  }

  parked(): void {
    // The answer comes from outside.
  }
}

const NONE = { asked: [], chunks: [] }

const completed = (exit: Exit.Exit<CompletedAnswer, ModelError>): ModelAnswer | Json => {
  const answer = resultOf(exit)
  if (answer === null) return UNANSWERED
  return Result.isSuccess(answer)
    ? { request_id: answer.success.requestId, message: answer.success.message }
    : { request_id: null, error: errorFields(answer.failure) }
}

/** Null for an interrupted exchange, and for a defect, which is no answer of the outside either. */
const resultOf = <A, E>(exit: Exit.Exit<A, E>): Result.Result<A, E> | null => {
  if (Exit.isSuccess(exit)) return Result.succeed(exit.value)
  const error = Cause.findErrorOption(exit.cause)
  return error._tag === "Some" ? Result.fail(error.value) : null
}
