// Receives the id of a session or run; copies what it has recorded into the recording, page by page.
// Invariant: the copy is a snapshot of the time of the first page; a session or run of another tenant is not found.
import type { Env } from "../schemas/env.ts"
import { ok, refused, type RpcResult } from "../schemas/errors/rpc-error.ts"
import type { RecordedPage } from "../schemas/rpc/recorded-page.ts"
import type { RecordArgs } from "../schemas/rpc/recording-rpc.ts"
import { answerKey, type RecordingMetadata } from "./recording.ts"
import type { RecordingBook } from "./recording-book.ts"
import type { Part } from "./stores/recording-rows.ts"

/** What the metadata take from the source, and its pages. */
export interface RecordedSource {
  readonly kind: RecordingMetadata["kind"]
  readonly name: string
  readonly finalized: boolean
  readonly source: NonNullable<RecordingMetadata["source"]>
  /** Returns a page of the snapshot; `after` is null for the first page. */
  readonly page: (after: string | null) => Promise<RpcResult<RecordedPage>>
}

export const copyRecorded = async (
  book: RecordingBook,
  env: Env,
  tenant: string,
  args: RecordArgs,
  now: number,
): Promise<RpcResult<boolean>> => {
  const from = await sourceOf(env, tenant, args.from)
  if (!from.ok) return from
  const { kind, name, finalized, source, page } = from.value
  const copy = new Copy(book)
  for (let after: string | null = null; ;) {
    const next: RpcResult<RecordedPage> = await page(after)
    if (!next.ok) return next
    copy.add(next.value)
    if (next.value.next === null) break
    after = next.value.next
  }
  book.finish(
    {
      id: book.id,
      kind,
      name: args.name ?? name,
      tags: args.tags ?? [],
      createdAt: new Date(now).toISOString(),
      signalCount: copy.signals,
      finalized,
      durationMs: copy.durationMs,
      source,
      version: 1,
    },
    args.fingerprint,
  )
  return ok(true)
}

const sourceOf = async (env: Env, tenant: string, from: RecordArgs["from"]): Promise<RpcResult<RecordedSource>> => {
  if ("run_id" in from) return runOf(env, tenant, from.run_id)
  const { session_id } = from
  const session = env.SESSIONS.getByName(`${tenant}/${session_id}`)
  const info = await session.info()
  if (!info.ok) return info
  const { title, state, options } = info.value
  if (options.runtime?.mode !== "record") return NOT_RECORDED
  return ok({
    kind: "session",
    name: title ?? session_id,
    finalized: state === "idle",
    source: { session_id },
    page: (after) => session.recordedPage(after),
  })
}

/** The recording of a run needs only its log, which contains the answers of its agents. */
const runOf = async (env: Env, tenant: string, run_id: string): Promise<RpcResult<RecordedSource>> => {
  const object = env.WORKFLOWS.getByName(`${tenant}/${run_id}`)
  const first = await object.recordedPage(0)
  if (!first.ok) return first
  const { workflow, ended_at } = first.value.run
  const page = async (after: string | null): Promise<RpcResult<RecordedPage>> => {
    const read = after === null ? first : await object.recordedPage(Number(after))
    if (!read.ok) return read
    const { signals, next } = read.value
    return ok({ signals, answers: [], chunks: {}, next: next === null ? null : String(next) })
  }
  const source = { run_id, workflow }
  return ok({ kind: "workflow", name: workflow, finalized: ended_at !== null, source, page })
}

const NOT_RECORDED = refused(
  "conflict_error",
  'The session was not recorded, so the answers that a replay needs are not there. Open a session with options.runtime {"mode": "record"}, run it, and record that one.',
)

/** Writes pages, and counts their signals and the time between the first and the last. */
class Copy {
  readonly #book: RecordingBook
  readonly #counts: Record<Part, number> = { signal: 0, answer: 0, chunk: 0, checkpoint: 0 }
  #first: string | null = null
  #last: string | null = null

  constructor(book: RecordingBook) {
    this.#book = book
  }

  add({ signals, answers, chunks }: RecordedPage): void {
    this.#first ??= signals[0]?.timestamp ?? null
    this.#last = signals.at(-1)?.timestamp ?? this.#last
    this.#book.write([
      ...signals.map((signal) => this.#row("signal", signal.name, signal)),
      ...answers.map((answer) => this.#row("answer", answerKey(answer), answer)),
      ...Object.entries(chunks).map(([hash, value]) => this.#row("chunk", hash, value)),
    ])
  }

  #row(part: Part, key: string, value: unknown) {
    const n = this.#counts[part]
    this.#counts[part] += 1
    return { part, n, key, json: JSON.stringify(value) }
  }

  get signals(): number {
    return this.#counts.signal
  }

  get durationMs(): number {
    const [first, last] = [this.#first, this.#last]
    return first === null || last === null ? 0 : Math.max(0, Date.parse(last) - Date.parse(first))
  }
}
