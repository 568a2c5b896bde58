// Receives the run of a subagent as it is carried; asks its model every half a minute what it has just done, and sends
// clients the answer as the `summary` of `system/task_progress`.
// Invariants: the run is neither delayed nor changed by it, and a run that has ended has no more summaries; a request that
// fails is logged, and the next one comes in its time.
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type { ModelTimeouts } from "../../model/live/model-timeouts.ts"
import type { MessagesApi } from "../../model/messages-api.ts"
import { apiErrorText } from "../../model/retry.ts"
import { isOverBudget } from "../conclude.ts"
import { logDefect } from "../defect.ts"
import type { LoopService } from "../loop.ts"
import { LiveAnswer } from "../messages/live-answer.ts"
import type { Log, Turn, TurnContext } from "../ports.ts"
import { sideAnswer, withQuestion } from "../side-answer.ts"
import type { ApiMessage } from "../transcript/transcript.ts"
import { summaryEvent } from "./agent-log.ts"
import type { AgentIdentity } from "./identity.ts"

/** As the official SDK: between the beginning of a run, or the end of a request for a summary, and the next request. */
const EVERY_MS = 30_000
const FIRST_BYTE_MS = 60_000
const TOTAL_MS = 120_000
const MAX_SUMMARY = 200

type Needs = Log | TurnContext | MessagesApi

/** The work of the run with summaries of it beside it, where the session asks for them. */
export const withSummaries =
  (turn: Turn, loop: LoopService) =>
  <A, R>(work: Effect.Effect<A, never, R>): Effect.Effect<A, never, R | Needs> => {
    const { agent } = turn
    // A command or a skill that runs as an agent is no task that clients watch.
    if (agent === undefined || agent.fork !== undefined || !isWanted(turn)) return work
    return Effect.raceFirst(work, summaries(turn, agent, loop))
  }

const isWanted = ({ options }: Turn): boolean => options.agentProgressSummaries === true

const summaries = Effect.fnUntraced(function* (
  turn: Turn,
  agent: AgentIdentity,
  loop: LoopService,
): Effect.fn.Return<never, never, Needs> {
  let described = 0
  let before: string | null = null
  for (;;) {
    yield* Effect.sleep(EVERY_MS)
    const messages = wholeSteps(turn)
    // As the official SDK: nothing is asked while the conversation is the same, or nothing is done yet.
    if (messages.length < 2 || messages.length === described || !isWanted(turn) || isOverBudget(turn)) continue
    described = messages.length
    const summary: string | null = yield* summaryOf(turn, messages, before).pipe(
      Effect.catchCause((cause) =>
        Cause.hasInterrupts(cause) ? Effect.failCause(cause) : Effect.as(logDefect(FAILED, cause), null),
      ),
    )
    if (summary === null || turn.subagents.runningOf(agent.id)?.key !== agent.runId) continue
    before = summary
    yield* loop.log.append([summaryEvent(turn, agent, summary)])
  }
})

const FAILED = "the progress of a subagent could not be summed up"

/** The conversation without an answer that streams, or whose calls are not all done. */
const wholeSteps = ({ memory: { transcript } }: Turn): ReadonlyArray<ApiMessage> => {
  const messages = transcript.messages()
  if (transcript.openCalls().length === 0 && transcript.fragment() === undefined) return messages
  return messages.slice(
    0,
    messages.findLastIndex(({ role }) => role === "assistant"),
  )
}

const summaryOf = Effect.fnUntraced(function* (
  turn: Turn,
  messages: ReadonlyArray<ApiMessage>,
  before: string | null,
): Effect.fn.Return<string | null, never, Needs> {
  const timeouts: ModelTimeouts = { firstByteMs: FIRST_BYTE_MS, idleMs: FIRST_BYTE_MS, until: turn.now() + TOTAL_MS }
  const asked = withQuestion(messages, question(before))
  const answer = yield* Effect.result(
    sideAnswer(new LiveAnswer(), {
      messages: asked,
      // The question follows results that the agent's own request put into the cache: it reads them from there.
      repeated: asked.length,
      purpose: "progress_summary",
      timeouts,
      plain: false,
    }),
  )
  if (answer._tag === "Failure") {
    yield* Effect.logWarning(`${FAILED}: ${apiErrorText(answer.failure)}`)
    return null
  }
  if (answer.success.refused) return null
  const line = answer.success.text.split("\n", 1)[0]?.trim() ?? ""
  return line === "" ? null : line.slice(0, MAX_SUMMARY)
})

const question = (before: string | null): string => {
  const again = before === null ? "" : ` You described it as "${before}" before: name what is new since then.`
  return `<system-reminder>\nSomeone watches your progress. Name what you did last in three to five words that begin with a verb ending in "ing" and mention the file, function or command, such as "Reading the parser tests".${again} Answer with these words alone and call no tool. Then your task goes on as if you had not been asked.\n</system-reminder>`
}
