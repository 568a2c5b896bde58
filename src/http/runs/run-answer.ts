// Receives a run of a session; returns its status, and its result, which is folded from the session's log.
// Invariant: the log is read page by page, and no page is kept after it was folded.
import * as Effect from "effect/Effect"
import type { LogEvent } from "../../schemas/log/events.ts"
import type { AgentRunStatus } from "../../schemas/rpc/turns.ts"
import type { EmbeddedRunResult } from "../../schemas/runs/run-result.ts"
import { decodeFeedLine } from "../../schemas/log/feed-line.ts"
import { readBase } from "../../views/live/fact-line.ts"
import { EMPTY_BASE } from "../../views/live/session-base.ts"
import type { ReplyOptions } from "../../views/reply/reply-runs.ts"
import { RunFold } from "../../views/run/run-fold.ts"
import type { ApiError } from "../errors/errors.ts"
import type { Caller } from "../handle.ts"
import { callSession } from "../sessions/session-call.ts"
import { sessionPage } from "../sessions/session-page.ts"
import { rpcError } from "../object-call.ts"

const PAGE = 500

/** A run in its session. */
export interface RunPlace {
  readonly runId: string
  /** The session's own id; `sessionId` is the caller's name for it. */
  readonly session: string
  readonly sessionId: string
  /** The uuid by which the session knows the run. */
  readonly turn: string
}

/** The run's status, as soon as it has ended or after `waitMs`. */
export const statusOf = (
  { session }: Caller,
  { session: id, turn }: RunPlace,
  waitMs: number,
): Effect.Effect<AgentRunStatus, ApiError> =>
  callSession(session, id, async (stub) => {
    const response = await stub.fetch(`http://session/run?turn=${turn}&wait=${waitMs}`)
    if (response.status === 200) return { ok: true, value: await response.json<AgentRunStatus>() } as const
    return { ok: false, error: await rpcError(response) } as const
  })

interface EventsPage {
  readonly events: ReadonlyArray<LogEvent>
  readonly has_more: boolean
  readonly next_after: number
}

/** The result of a run that has ended. */
export const resultOf = Effect.fnUntraced(function* (
  caller: Caller,
  { session, sessionId }: RunPlace,
  { turn, first_seq: firstSeq, last_seq, turn_seq }: AgentRunStatus,
): Effect.fn.Return<EmbeddedRunResult, ApiError> {
  const through = last_seq ?? 0
  const { options } = yield* baseAfter(caller, session, turn_seq - 1)
  // The session validated these options when they were set.
  const fold = new RunFold({ sessionId, turn, firstSeq }, options as ReplyOptions)
  for (let after = turn_seq - 1; !fold.isOver && after < through;) {
    const response = yield* sessionPage(caller, session, "events", { after, limit: PAGE, order: "asc" })
    // The object wrote this page.
    const page = yield* Effect.promise(() => response.json<EventsPage>())
    for (const event of page.events) if (event.seq <= through) fold.apply(event)
    after = page.has_more ? page.next_after : through
  }
  return fold.result()
})

/** The session's state right after the event `after`. */
const baseAfter = Effect.fnUntraced(function* (caller: Caller, session: string, after: number) {
  const response = yield* sessionPage(caller, session, "facts", { after, limit: 1 })
  const text = yield* Effect.promise(() => response.text())
  const line = text
    .split("\n")
    .map(decodeFeedLine)
    .find(({ name }) => name === "feed:base")
  return line === undefined ? EMPTY_BASE : readBase(line).base
})
