// Receives the running work of a subagent; every half minute asks the agent's model what it has just done, and sends
// clients the answer as the `summary` of `system/task_progress`.
// Invariants: summaries neither delay nor change the run, and end with it; a failed request is logged, and the next one is
// sent after the usual interval.
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

/** As the official SDK: the time from a run's start, or the end of a request for a summary, to the next request. */
const EVERY_MS = 30_000
const FIRST_BYTE_MS = 60_000
const TOTAL_MS = 120_000
const MAX_SUMMARY = 200

type Needs = Log | TurnContext | MessagesApi

/** Runs the work, and the summaries in parallel with it if the session asks for them. */
export const withSummaries =
  (turn: Turn, loop: LoopService) =>
  <A, R>(work: Effect.Effect<A, never, R>): Effect.Effect<A, never, R | Needs> => {
    const { agent } = turn
    // A command or a skill that runs as an agent is not shown to clients as a task.
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
    // As the official SDK: no request is sent while the conversation is unchanged, or nothing is done yet.
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

const FAILED = "the progress of a subagent could not be summarized"

/** The conversation without the last answer, if that still streams or has open calls. */
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
  const conversation = withQuestion(messages, question(before))
  const answer = yield* Effect.result(
    sideAnswer(new LiveAnswer(), {
      messages: conversation,
      // The agent's own request has cached the conversation up to the question, so that this request reads it from the cache.
      repeated: conversation.length,
      purpose: "progress_summary",
      timeouts,
    }),
  )
  if (answer._tag === "Failure") {
    yield* Effect.logWarning(`${FAILED}: ${apiErrorText(answer.failure)}`)
    return null
  }
  if (answer.success.isRefused) return null
  const line = answer.success.text.trim().split("\n", 1)[0]?.trim() ?? ""
  return line === "" ? null : line.slice(0, MAX_SUMMARY)
})

const question = (before: string | null): string => {
  const again = before === null ? "" : ` You described it as "${before}" before: describe what is new since then.`
  return `<system-reminder>\nSomeone is watching your progress. Describe your last action in three to five words that start with a verb ending in "ing" and mention the file, function or command, such as "Reading the parser tests".${again} Answer with these words only and call no tool. Then your task continues as if you had not been asked.\n</system-reminder>`
}
