// Receives a run of a session; returns its stream: the run's id, its replies as they are written, and finally its result.
// Invariant: a reader that reconnects with its last id gets the frames that it would have received without the interruption.
import * as Effect from "effect/Effect"
import type { FeedLine } from "../../schemas/log/feed-line.ts"
import type { AgentRunStatus } from "../../schemas/rpc/turns.ts"
import { RunView } from "../../views/run/run-view.ts"
import { isCancelled } from "../../views/with-asks.ts"
import { isResult } from "../../views/sdk.ts"
import { callObject } from "../object-call.ts"
import type { Caller } from "../handle.ts"
import { feedOf } from "../socket/feed-socket.ts"
import { mediaOf } from "../stream/media-source.ts"
import { sseResponse } from "../stream/sse-response.ts"
import { FactsView } from "../stream/views.ts"
import type { RunPlace } from "./run-answer.ts"

/** `last` is the id of the last event that the reader received; null for a reader that starts. */
export const streamRun = Effect.fnUntraced(function* (
  caller: Caller,
  { runId, sessionId, session: id }: RunPlace,
  { turn, first_seq: firstSeq }: AgentRunStatus,
  last: number | null,
  headers: Readonly<Record<string, string>>,
) {
  const { actor, session } = caller
  const open = feedOf(() => session(id), { facts: "1" }, actor)
  const after = Math.max(firstSeq - 1, last ?? 0)
  const first = yield* callObject("session", () => open(after))
  const facts = new FactsView((base) => new RunView({ runId, sessionId, turn, firstSeq }, base))
  const ends = (line: FeedLine): boolean =>
    line.turn === turn && line.seq !== null && (isResult(line) || isCancelled(line) || line.name === "run:paused")
  return sseResponse(
    caller,
    {
      first,
      open,
      after,
      view: facts.view,
      facts,
      until: ends,
      media: mediaOf(() => session(id)),
    },
    headers,
  )
})
