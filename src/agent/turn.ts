// Receives a turn whose prompt is in the log; runs it to its `result`, from the state that the log records.
// Invariant: a turn that was cut off by a crash or parked on an ask continues by the same code path as a new one.
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { MessagesApi } from "../model/messages-api.ts"
import { errorOutcome } from "../tools/tool.ts"
import { type CallBatch, type CallEnd, withBatch } from "./calls/call-batch.ts"
import { autoCompact, isNearlyFull, reportRefill } from "./compaction/auto-compact.ts"
import { removeRefusedMedia } from "./compaction/remove-media.ts"
import {
  conclude,
  conclusion,
  endWithoutHooks,
  fail,
  isOverBudget,
  isOverTurns,
  lacksValue,
  overBudget,
  overTurns,
  skipped,
} from "./conclude.ts"
import { logDefect } from "./defect.ts"
import { awaitsScripts, runScripts } from "./commands/command-shell.ts"
import { isForked, runForkedCommand } from "./commands/forked-command.ts"
import { completionOf, finishBatch, isDecided, needsBatchHook } from "./batch-end.ts"
import { breakTurn, stopTurn } from "./interrupted.ts"
import { nudgesOf } from "./messages/nudge.ts"
import type { TurnEnd } from "./messages/result.ts"
import { Loop, type LoopService, type TurnOutcome } from "./loop.ts"
import { Asks, type CallServices, Hooks, Log, TurnContext, type Turn } from "./ports.ts"
import { append } from "./calls/run-tool.ts"
import { nextAction, type TurnState } from "./next-action.ts"
import { endAtStart, endWithoutAnswer, start } from "./start.ts"
import { recoverAnswer } from "./broken-answer.ts"
import type { LiveAnswer } from "./messages/live-answer.ts"
import { dropCalls, isRefused } from "./refused-answer.ts"
import { takeSnapshot } from "./snapshots.ts"
import { announceRequest, reportRefusal, runStep } from "./step.ts"
import { stoppedAgents } from "./subagents/stopped-agents.ts"
import { batchedCall } from "./calls/tool-call.ts"

/** The result of a call during which the server stopped several times. */
const GIVEN_UP_TEXT =
  "The server stopped every time this call ran, so it is not run again and its outcome is unknown. Try something smaller."

/** The turn fails when the StructuredOutput tool has refused this many values. */
const MAX_STRUCTURED_FAILURES = 5

/** Runs the turn; completing `interrupt` ends it at once and keeps what is in the log. */
export const runTurn = Effect.fnUntraced(function* (
  live: LiveAnswer,
  interrupt: Deferred.Deferred<void>,
): Effect.fn.Return<TurnOutcome, never, CallServices | MessagesApi> {
  const loop = yield* loopOf
  return yield* Effect.provideService(runUntil(live, interrupt), Loop, loop)
})

/** The loop service for the calls of a turn, with the turn's ports. */
export const loopOf: Effect.Effect<LoopService, never, CallServices> = Effect.gen(function* () {
  const [log, hooks, asks] = [yield* Log, yield* Hooks, yield* Asks]
  return { runSteps, call: batchedCall, agents: new Map(), log, hooks, asks }
})

/** Runs the turn's steps; a defect ends the turn, too. */
const runSteps: LoopService["runSteps"] = (live) =>
  steps(live).pipe(
    Effect.catchCause((cause) => (Cause.hasInterrupts(cause) ? Effect.failCause(cause) : broken(cause, live))),
  )

const runUntil = Effect.fnUntraced(function* (
  live: LiveAnswer,
  interrupt: Deferred.Deferred<void>,
): Effect.fn.Return<TurnOutcome, never, CallServices | MessagesApi> {
  const turn = yield* TurnContext
  if (Deferred.isDoneUnsafe(interrupt)) yield* recoverAnswer(false)
  else {
    const stopped = Effect.as(Deferred.await(interrupt), "interrupted" as const)
    const outcome = yield* Effect.raceFirst(runSteps(live), stopped)
    if (outcome !== "interrupted") return outcome
  }
  // A command that the session answers itself keeps its answer, even if the turn is interrupted.
  const { tally } = turn.memory.accounting
  const { local, unavailable } = tally?.command ?? {}
  if (tally?.started === true && (local === true || unavailable === true)) {
    yield* endAtStart(turn)
    return "finished"
  }
  yield* live.end === null ? stopTurn(live, "aborted_streaming") : endWithoutHooks(live.end)
  return "finished"
})

/** Handles a defect: the turn still ends with one result, and the cause goes only to the server's log. */
const broken = Effect.fnUntraced(function* (
  cause: Cause.Cause<never>,
  live: LiveAnswer,
): Effect.fn.Return<TurnOutcome, never, CallServices> {
  yield* logDefect("a turn failed", cause)
  yield* breakTurn(live)
  return "finished"
})

const steps = Effect.fnUntraced(function* (
  live: LiveAnswer,
): Effect.fn.Return<TurnOutcome, never, CallServices | MessagesApi> {
  const turn = yield* TurnContext
  const ended = yield* startOrResume(turn, live)
  if (ended !== null) return ended
  let phase: TurnState["phase"] = "entered"
  /** True after an answer that left nothing in the conversation; it still counts as an answer. */
  let blank = false
  /** True when compaction was tried, with or without success, since the model's last answer. */
  let compacted = false
  for (let answers = 0; ;) {
    switch (nextAction(stateOf(turn, phase, { blank, compacted }))) {
      case "fail":
        return yield* fail(turn, null)
      case "end_over_budget":
        return yield* fail(turn, overBudget(turn))
      case "drop_calls":
        yield* dropCalls
        phase = "calls_done"
        blank = true
        break
      case "run_calls": {
        const ended = yield* afterCalls(yield* withBatch(resumeCalls), live)
        if (ended !== null) return ended
        phase = "calls_done"
        break
      }
      case "judge": {
        const end = yield* conclusion(turn)
        if (end !== null && (yield* endWithAnswer(live, end)) !== null) return "finished"
        // A hook wants another answer from an agent that may only finish its last one: see `isOverBudget`.
        if (isOverBudget(turn)) return yield* fail(turn, overBudget(turn))
        phase = "judged"
        blank = false
        break
      }
      case "end_over_turns":
        return yield* fail(turn, overTurns(turn))
      case "compact":
        if (yield* reportRefill) return yield* fail(turn, null)
        compacted = true
        announceRequest(turn, yield* Log, live)
        yield* autoCompact(null)
        // The request for the summary may have used up the budget.
        if (isOverBudget(turn)) return yield* fail(turn, overBudget(turn))
        break
      case "step": {
        // Each runner makes at least one step.
        if (answers > 0 && turn.run.countStep()) return "handed_over"
        const step: MadeStep = yield* makeStep(turn, live, compacted)
        if (step.ended !== null) return step.ended
        compacted = step.compacted === true
        answers += 1
        phase = "entered"
        blank = step.blank
      }
    }
  }
})

/** Starts the turn, or continues it after a crash, an ask or a hand-over. Returns its outcome if it ended or waits, else null. */
const startOrResume = Effect.fnUntraced(function* (
  turn: Turn,
  live: LiveAnswer,
): Effect.fn.Return<TurnOutcome | null, never, CallServices | MessagesApi> {
  const begun = turn.memory.accounting.tally
  if (begun?.started === true) {
    if ((yield* endAtStart(turn)) === "finished") return "finished"
    yield* recoverAnswer(true)
    if (turn.run.isStuck && (yield* abandonStuckCalls(turn)) !== null) return "finished"
    return yield* expandCommand(turn, live)
  }
  if (turn.continuesDeferredCall) {
    const ended = yield* afterCalls(yield* withBatch(resumeCalls), live)
    if (ended !== null) return ended
  }
  const log = yield* Log
  const started = yield* start(turn, () => announceRequest(turn, log, live))
  return started === "finished" ? "finished" : yield* expandCommand(turn, live)
})

/** Runs the scripts of the prompt's command, and the subagent as which the command runs. */
const expandCommand = Effect.fnUntraced(function* (
  turn: Turn,
  live: LiveAnswer,
): Effect.fn.Return<TurnOutcome | null, never, CallServices | MessagesApi> {
  const end = awaitsScripts(turn) ? yield* withBatch(runScripts) : "done"
  if (end !== "done") return yield* afterCalls(end, live)
  // After a Stop hook has blocked the end with the agent's answer, the model continues the turn.
  if (!isForked(turn) || nudgesOf(turn, "stop_hook") > 0)
    return turn.needsNoAnswer ? yield* endWithoutAnswer(turn) : null
  const answered = yield* runForkedCommand(turn)
  if (typeof answered === "string") return answered
  if (isOverBudget(turn)) return yield* fail(turn, overBudget(turn))
  return yield* endWithAnswer(live, answered)
})

const stateOf = (
  turn: Turn,
  phase: TurnState["phase"],
  { blank, compacted }: { readonly blank: boolean; readonly compacted: boolean },
): TurnState => {
  const { transcript, accounting } = turn.memory
  return {
    phase,
    failed: accounting.tally?.apiError?.final === true,
    overBudget: isOverBudget(turn),
    refused: isRefused(turn),
    openCalls: transcript.openCalls().length > 0 || needsBatchHook(turn) || isDecided(turn),
    answered: blank || transcript.last()?.role === "assistant",
    overTurns: isOverTurns(turn),
    // A getter, so that tokens are counted only when the model would be asked.
    get full() {
      return !compacted && isNearlyFull(turn)
    },
  }
}

type MadeStep =
  | { readonly ended: TurnOutcome }
  /** `compacted`: compaction was tried for the request, which the API refused, and which is repeated. */
  | { readonly ended: null; readonly blank: boolean; readonly compacted?: boolean }

/** One model request and the calls of its answer. `compacted`: compaction has been tried already. */
const makeStep = Effect.fnUntraced(function* (
  turn: Turn,
  live: LiveAnswer,
  compacted: boolean,
): Effect.fn.Return<MadeStep, never, CallServices | MessagesApi> {
  yield* takeSnapshot(turn)
  const before = turn.memory.transcript.last()
  const { stepEnd, callEnd } = yield* withBatch((batch: CallBatch<CallServices>) =>
    Effect.gen(function* () {
      const stepEnd = yield* runStep(batch, live)
      // Calls of an answer that exceeded the budget are not completed.
      if (isOverBudget(turn) || stepEnd === "failed" || stepEnd === "refused") return { stepEnd, callEnd: null }
      // Neither are those of a refused answer.
      return { stepEnd, callEnd: isRefused(turn) ? ("done" as const) : yield* batch.join }
    }),
  )
  if (stepEnd === "refused") {
    if (live.refusal !== null && (yield* removeRefusedMedia(live, live.refusal)))
      return { ended: null, blank: false, compacted }
    if (!compacted && (yield* reportRefill)) return { ended: yield* fail(turn, null) }
    if (!compacted && (yield* autoCompact(live.refusal))) return { ended: null, blank: false, compacted: true }
    yield* reportRefusal(live)
    return { ended: yield* fail(turn, null) }
  }
  if (stepEnd === "failed") return { ended: yield* fail(turn, null) }
  if (callEnd === null) return { ended: yield* fail(turn, overBudget(turn)) }
  if (isRefused(turn)) return { ended: null, blank: false }
  if (stepEnd === "answered" && turn.memory.transcript.last() === before) return { ended: null, blank: true }
  // The last call of an answer that broke off has not started. As the official SDK: PostToolBatch hooks are called once, after it.
  if (stepEnd === "broken" && callEnd === "done" && turn.memory.transcript.openCalls().length > 0)
    return { ended: null, blank: false }
  const ended = yield* afterCalls(callEnd, live)
  return ended === null ? { ended, blank: false } : { ended }
})

/**
 * Handles a turn during which the process stopped each time it was resumed. Its open calls get an error result instead of
 * another run; without open calls the turn itself ends.
 */
const abandonStuckCalls = Effect.fnUntraced(function* (
  turn: Turn,
): Effect.fn.Return<"finished" | null, never, CallServices> {
  const open = turn.memory.transcript.openCalls()
  if (open.length === 0) {
    const errors = ["The server stopped repeatedly while it ran this turn, so the turn was ended."]
    return yield* fail(turn, { subtype: "error_during_execution", terminalReason: "turn_setup_failed", errors })
  }
  const log = yield* Log
  for (const use of open) yield* append(use, errorOutcome(GIVEN_UP_TEXT))
  const stopped = stoppedAgents(turn, yield* Loop)
  if (stopped.length > 0) yield* log.append(stopped)
  return null
})

/** The turn's outcome after a batch of calls; null when the turn continues. */
const afterCalls = Effect.fnUntraced(function* (
  end: CallEnd,
  live: LiveAnswer,
): Effect.fn.Return<TurnOutcome | null, never, CallServices> {
  const turn = yield* TurnContext
  if (end === "parked" || end === "handed_over") return end
  if (end === "stopped" || turn.isReplaced()) {
    yield* stopTurn(live, "aborted_tools")
    return "finished"
  }
  // Calls that are deferred again, or before a prompt that waits, are skipped: that prompt's turn must not run them.
  if (end === "deferred")
    return yield* fail(turn, deferral(turn), turn.continuesDeferredCall || turn.waiting() > 0 ? skipped(turn) : [])
  // Subagents may have used up the budget.
  if (isOverBudget(turn)) return yield* fail(turn, overBudget(turn))
  const { tally } = turn.memory.accounting
  if ((tally?.structuredFailures ?? 0) >= MAX_STRUCTURED_FAILURES && tally?.structured === null) {
    const errors = [`No valid structured output after ${MAX_STRUCTURED_FAILURES} attempts`]
    const terminalReason = "structured_output_retry_exhausted"
    return yield* fail(turn, { subtype: "error_max_structured_output_retries", terminalReason, errors })
  }
  if (tally?.halted !== true) yield* finishBatch(turn)
  const structured = tally?.structured ?? null
  const value = structured === null ? null : { result: JSON.stringify(structured.value), structured }
  if (tally?.halted === true) {
    const { lastText: result = "" } = tally
    return yield* fail(turn, { subtype: "success", terminalReason: "hook_stopped", result, ...value })
  }
  const completed = completionOf(turn)
  const answer = completed === null ? value : { result: completed.summary, decided: true as const }
  if (answer === null) return null
  const done = { subtype: "success", terminalReason: "completed", ...answer } as const
  return yield* endWithAnswer(live, done)
})

/**
 * Ends the turn with a complete answer, which stays the turn's end even if it is interrupted while Stop hooks run. Null: a Stop
 * hook blocks the end.
 */
const endWithAnswer = Effect.fnUntraced(function* (
  live: LiveAnswer,
  end: TurnEnd,
): Effect.fn.Return<"finished" | null, never, CallServices> {
  const turn = yield* TurnContext
  live.end = end.subtype === "success" && end.isError !== true && !lacksValue(turn, end) ? end : null
  const ended = yield* conclude(turn, end)
  live.end = null
  return ended
})

const deferral = (turn: Turn) => {
  // As the official SDK: of several deferred calls, the result names the last.
  const use = turn.memory.transcript.openCalls().at(-1)
  const deferred = use === undefined ? {} : { deferred: { id: use.id, name: use.name, input: use.input } }
  const reason = "tool_deferred"
  return { subtype: "success", terminalReason: reason, stopReason: reason, result: "", ...deferred } as const
}

/** Runs the calls that have no result because of a crash, an ask or a hook. */
const resumeCalls = Effect.fnUntraced(function* (
  batch: CallBatch<CallServices>,
): Effect.fn.Return<CallEnd, never, CallServices> {
  const turn = yield* TurnContext
  for (const use of turn.memory.transcript.openCalls()) yield* batch.add(yield* batchedCall(use))
  return yield* batch.join
})
