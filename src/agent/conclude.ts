// Receives a turn whose model made no more tool calls; decides whether it ends, continues or has failed, and appends its end.
// Invariant: a turn is asked to continue a limited number of times, which are counted in the log.
import * as Effect from "effect/Effect"
import type { HookOutcome } from "../hooks/outcome.ts"
import type { NewEvent } from "../schemas/log/events.ts"
import { textOf } from "../schemas/json/text-field.ts"
import { currentModelOf } from "./fallback.ts"
import { agentTranscriptPath, answerStamp, fire, hook, informational, stamp } from "./calls/hook-events.ts"
import { maxOutputOf } from "../model/catalogue/models.ts"
import { type CallServices, Log, TurnContext, type Turn } from "./ports.ts"
import { askAgain, refusalMessages } from "./refused-answer.ts"
import type { TurnEnd } from "./messages/result.ts"
import { apiErrorMessage, systemMessage, syntheticMessage } from "./messages/sdk-messages.ts"
import { displayed } from "./messages/displayed-message.ts"
import { nudge, nudged, nudgesOf } from "./messages/nudge.ts"
import { BLANK_TEXT, UNRUN } from "./messages/prompt-text.ts"
import { Loop } from "./loop.ts"
import { beginningTasks } from "./subagents/start-events.ts"
import { stoppedAgents } from "./subagents/stopped-agents.ts"

/** The request to continue an answer that has reached its maximum length. */
export const MAX_TOKENS_TEXT =
  "Your answer reached its maximum length. Continue exactly where it was cut off, without repetition or apology; work in smaller steps from here."
const MALFORMED_TEXT =
  "Your last answer announced a tool call but contained none that could be parsed, and was withdrawn. Make the call now."
const STRUCTURED_TEXT =
  "[structured-output] The answer must be given with the StructuredOutput tool. Call it now with the complete value."

export const MAX_LENGTH_CONTINUATIONS = 3
/** As the official SDK: an answer whose call could not be parsed is requested again this often. */
const MAX_MALFORMED_CALLS = 2
/** Paused answers are continued this often in a turn; the next pause ends it, as the first one does in the official SDK. */
const MAX_PAUSES = 50
/** Stop hooks may block the end of a turn this often, then it ends anyway. */
const MAX_STOP_BLOCKS = 8
/** How often the model is reminded of a missing structured value; the official SDK does it once. */
const MAX_STRUCTURED_REMINDERS = 5

/** How the turn ends after the model's last answer, or null when it continues. */
export const conclusion = Effect.fnUntraced(function* (
  turn: Turn,
): Effect.fn.Return<TurnEnd | null, never, CallServices> {
  const log = yield* Log
  const { tally } = turn.memory.accounting
  const message = turn.memory.transcript.last()
  const last = message?.role === "assistant" ? message : undefined
  const text = last?.content.findLast((block) => block.type === "text")?.["text"]
  const goOn = (events: ReadonlyArray<NewEvent>) => Effect.as(log.append(events), null)
  switch (tally?.answerStopReason) {
    case "pause_turn":
      if (tally.pauses <= MAX_PAUSES) return null
      break
    case "max_tokens":
    case "model_context_window_exceeded":
      if (nudgesOf(turn, "max_tokens") < MAX_LENGTH_CONTINUATIONS) {
        return yield* goOn(nudge(turn, "max_tokens", MAX_TOKENS_TEXT))
      }
      yield* log.append(yield* displayed(tooLong(turn)))
      return failureOf(turn)
    case "refusal": {
      const again = askAgain(turn)
      if (again !== null) return yield* goOn(again)
      const [notice, message] = refusalMessages(turn)
      yield* log.append([notice, ...(yield* displayed(message))])
      return failureOf(turn)
    }
  }
  const visible = last?.content.some(({ type }) => type === "text" || type === "tool_use") === true
  // As the official SDK: an answer without a stop reason is not requested again.
  if (!visible && tally?.answerStopReason !== null && nudgesOf(turn, "blank") === 0)
    return yield* goOn(nudge(turn, "blank", BLANK_TEXT))
  if (visible && tally?.answerStopReason === "tool_use" && !last?.content.some(({ type }) => type === "tool_use")) {
    if (nudgesOf(turn, "malformed_call") < MAX_MALFORMED_CALLS) {
      const retracted = { retracted_message_uuids: turn.memory.transcript.lastUuids(1) ?? [] }
      return yield* goOn(nudge(turn, "malformed_call", MALFORMED_TEXT, retracted))
    }
    yield* log.append(yield* displayed(malformedCall(turn)))
    return failureOf(turn)
  }
  return { subtype: "success", terminalReason: "completed", result: textOf(text) }
})

/** Calls Stop hooks, then ends the turn; returns null when one of them blocks the end. */
export const conclude = Effect.fnUntraced(function* (
  turn: Turn,
  end: TurnEnd,
): Effect.fn.Return<"finished" | null, never, CallServices> {
  if (end.subtype !== "success" || end.isError === true) return yield* fail(turn, end)
  const blocks = nudgesOf(turn, "stop_hook")
  const { outcome, events, record, messages } = yield* fireStop(turn)
  // As the official SDK: Stop hooks can't block a turn that returned its structured value, nor a completed subtask.
  if (end.structured !== undefined || end.decided === true) return yield* finish(turn, events, end)
  const isMissing = lacksValue(turn, end)
  // As the official SDK: the reminder precedes the feedback of the hooks.
  const isReminded = isMissing && nudgesOf(turn, "structured_output") < MAX_STRUCTURED_REMINDERS
  const reminder = isReminded ? nudge(turn, "structured_output", STRUCTURED_TEXT) : []
  const fedBack = [...record, ...reminder, ...feedback(turn, outcome.block), ...messages]
  const warned = warning(turn, outcome.block)
  if (outcome.stop !== null) {
    const result = outcome.block === null && !isReminded ? end.result : blockedResult(turn, end.result)
    return yield* finish(turn, [...fedBack, ...warned], { ...end, result, terminalReason: "stop_hook_prevented" })
  }
  const isHeld = outcome.block !== null || outcome.contexts.length > 0
  if (!isHeld && !isReminded) return yield* isMissing ? fail(turn, WITHOUT_VALUE, events) : finish(turn, events, end)
  if (blocks >= MAX_STOP_BLOCKS) {
    const text = `Stop hooks blocked the end of the turn ${blocks + 1} times. It ends now.`
    const capped = [
      informational(turn, text, { level: "warning" }),
      notification(turn, "stop-hook-block-cap", text, "high"),
    ]
    if (isMissing) return yield* fail(turn, WITHOUT_VALUE, [...fedBack, ...capped])
    return yield* finish(turn, [...fedBack, ...capped], { ...end, result: blockedResult(turn, end.result) })
  }
  const log = yield* Log
  yield* log.append([...fedBack, ...warned, ...(isHeld ? [nudged(turn, "stop_hook")] : [])])
  return null
})

/** True when the turn has to end with a structured value, and this end has none. The answer of a command's agent needs none. */
export const lacksValue = ({ options }: Turn, end: TurnEnd): boolean =>
  options.outputFormat !== undefined &&
  end.subtype === "success" &&
  end.structured === undefined &&
  end.localCommand === undefined

const WITHOUT_VALUE: TurnEnd = {
  subtype: "error_max_structured_output_retries",
  terminalReason: "structured_output_retry_exhausted",
  errors: ["The model never returned the requested structured output"],
}

/** The result of a turn that ends although a hook blocks it. As the official SDK: empty, but an agent keeps its report. */
const blockedResult = ({ agent }: Turn, result: string): string => (agent === undefined ? "" : result)

/** True when the turn's end was blocked before, by a Stop hook or for lack of its structured value. */
const isContinued = (turn: Turn): boolean => nudgesOf(turn, "stop_hook") + nudgesOf(turn, "structured_output") > 0

const stopFacts = (turn: Turn) => {
  const lastText = turn.memory.accounting.tally?.lastText
  return {
    stop_hook_active: isContinued(turn),
    ...(lastText === undefined ? {} : { last_assistant_message: lastText }),
    ...(turn.agent === undefined ? {} : { agent_transcript_path: agentTranscriptPath(turn.sessionId, turn.agent.id) }),
    background_tasks: backgroundTasks(turn),
    session_crons: [],
  }
}

const stopEvent = ({ agent }: Turn) => (agent === undefined ? "Stop" : "SubagentStop")

const fireStop = (turn: Turn) => fire(stopEvent(turn), stopFacts(turn))

/** Ends a turn that was stopped while its Stop hooks ran: their event is logged, without calling them again. */
export const endWithoutHooks = (end: TurnEnd): Effect.Effect<void, never, CallServices> =>
  Effect.flatMap(TurnContext, (turn) => turn.finish([hook(turn, stopEvent(turn), stopFacts(turn))], end))

/** Background commands and agents that still run, in the form of the hooks' input. As the official SDK: from an agent's start on. */
export const backgroundTasks = ({ background, subagents }: Turn) => {
  const stored = background?.running() ?? []
  const beginning = beginningTasks(subagents, stored).map(({ agentId, description, type }) => ({
    task_id: agentId,
    description,
    command: "",
    agent: type,
  }))
  return [...stored, ...beginning].map(({ task_id, description, command, agent }) => ({
    id: task_id,
    type: agent === undefined ? "shell" : "subagent",
    status: "running",
    description,
    ...(agent === undefined ? { command } : { agent_type: agent }),
  }))
}

/** A block becomes a message to the model; context alone reaches it in the reminder of the hook event. */
const feedback = (turn: Turn, block: HookOutcome["block"]): ReadonlyArray<NewEvent> =>
  block === null
    ? []
    : (block.reasons ?? [block.reason]).map((reason) => syntheticMessage(stamp(turn), `Stop hook feedback:\n${reason}`))

/** As the official SDK: clients are notified only of the turn's first block. */
const warning = (turn: Turn, block: HookOutcome["block"]): ReadonlyArray<NewEvent> =>
  block === null || isContinued(turn) ? [] : [notification(turn, "stop-hook-error", block.reason)]

const notification = (turn: Turn, key: string, text: string, priority: "immediate" | "high" = "immediate"): NewEvent =>
  systemMessage(stamp(turn), "notification", { key, text, priority })

const finish = (turn: Turn, events: ReadonlyArray<NewEvent>, end: TurnEnd) =>
  Effect.as(turn.finish(events, end), "finished" as const)

/** Ends a turn before its regular end, with `events` before the result. Null: a model request failed; the log has the error. */
export const fail = Effect.fnUntraced(function* (
  turn: Turn,
  given: TurnEnd | null,
  events: ReadonlyArray<NewEvent> = [],
): Effect.fn.Return<"finished", never, CallServices> {
  const end = given ?? failureOf(turn)
  if (end.subtype === "success" && end.isError === true && end.failure !== undefined) {
    const details = turn.memory.accounting.tally?.apiError?.details
    const { events: fired } = yield* fire("StopFailure", {
      error: end.failure,
      ...(details === undefined ? {} : { error_details: details }),
      last_assistant_message: end.result,
    })
    return yield* finish(turn, [...skipped(turn), ...stoppedAgents(turn, yield* Loop), ...fired], end)
  }
  const left = end.subtype === "success" ? [] : [...skipped(turn), ...stoppedAgents(turn, yield* Loop)]
  return yield* finish(turn, [...events, ...left], end)
})

/** Events that give every call that will never run a result for the model. */
export const skipped = (turn: Turn): ReadonlyArray<NewEvent> =>
  turn.memory.transcript.openCalls().map((use) => ({
    name: "tool:skipped",
    payload: { tool_use_id: use.id, content: UNRUN },
    turn: turn.id,
  }))

const failureOf = (turn: Turn): TurnEnd => {
  const error = turn.memory.accounting.tally?.apiError
  return {
    subtype: "success",
    terminalReason: error?.terminalReason ?? "api_error",
    result: error?.text ?? "",
    isError: true,
    apiErrorStatus: error?.status ?? null,
    failure: error?.kind ?? "unknown",
  }
}

const malformedCall = (turn: Turn): NewEvent<"sdk:assistant"> =>
  apiErrorMessage(answerStamp(turn), {
    kind: null,
    text: "API Error: The model repeatedly announced a tool call that could not be parsed.",
    status: null,
    type: "malformed_tool_use",
    requestId: null,
    terminalReason: "malformed_tool_use_exhausted",
  })

const tooLong = (turn: Turn): NewEvent<"sdk:assistant"> =>
  apiErrorMessage(answerStamp(turn), {
    kind: "max_output_tokens",
    // Starts like the official SDK's text, which apps match on.
    text: `API Error: The response exceeded the ${maxOutputOf(currentModelOf(turn))} output token maximum repeatedly. Ask for smaller steps.`,
    status: null,
    type: "max_output_tokens",
    requestId: null,
  })

/** True when the turn has made as many requests as it may. */
export const isOverTurns = ({ memory, options }: Turn): boolean => {
  const { requests = 0, requestsBefore = 0, uncounted = 0 } = memory.accounting.tally ?? {}
  return options.maxTurns !== undefined && requests - requestsBefore - uncounted >= options.maxTurns
}

/** As the official SDK: only in this end, `num_turns` is based on the number of requests that count. */
export const overTurns = ({ options, memory }: Turn, terminalReason = "max_turns"): TurnEnd => {
  const { requests = 0, uncounted = 0 } = memory.accounting.tally ?? {}
  return {
    subtype: "error_max_turns",
    terminalReason,
    errors: [`Reached maximum number of turns (${options.maxTurns})`],
    numTurns: requests - uncounted + 1,
  }
}

/**
 * True when the turn has to end because a budget is used up. As in the official SDK, costs from before the last resume do not
 * count, and an agent in the background ends normally if only its final answer exceeded the budget.
 */
export const isOverBudget = (turn: Turn): boolean => spentBudget(turn) !== undefined && !isReport(turn)

/** Whether an agent in the background has given its final answer. */
const isReport = ({ agent, memory: { transcript } }: Turn): boolean =>
  agent?.background === true && transcript.last()?.role === "assistant" && transcript.openCalls().length === 0

/** The used-up budget in USD: the session's counts all its turns since it was last resumed, the turn's only this turn. */
const spentBudget = ({ budgets, spent }: Turn): number | undefined => {
  const { session, turn } = budgets()
  if (session === undefined && turn === undefined) return undefined
  const usd = spent()
  if (session !== undefined && usd.session >= session) return session
  return turn !== undefined && usd.turn >= turn ? turn : undefined
}

export const overBudget = (turn: Turn): TurnEnd => ({
  subtype: "error_max_budget_usd",
  terminalReason: "budget_exhausted",
  errors: [`Reached maximum budget ($${spentBudget(turn) ?? 0})`],
})
