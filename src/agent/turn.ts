// Receives a turn whose prompt is in the log; carries it to its `result`, from wherever the log says it stands.
// Invariant: a turn that was cut off by a crash or parked on a question goes on by the same path as a new one.
import { Cause, Deferred, Effect, Exit, Scope } from "effect"
import type { MessagesApi } from "../model/messages-api.ts"
import type { NewEvent } from "../schemas/events.ts"
import { CallBatch, type CallEnd } from "./call-batch.ts"
import { logDefect } from "./defect.ts"
import { breakTurn, stopTurn } from "./interrupted.ts"
import { Log, TurnContext } from "./ports.ts"
import { resultMessage, type TurnEnd } from "./result.ts"
import { initMessage, userTextMessage } from "./sdk-messages.ts"
import { type LiveAnswer, recoverAnswer, runStep } from "./step.ts"
import { modelOf } from "./step-request.ts"
import { batchedCall, type CallServices, hook, stamp } from "./tool-calls.ts"

/** `parked`: the turn waits for an answer and holds nothing; it goes on when it is run again. */
export type TurnOutcome = "finished" | "parked"

const BLANK_TEXT = "Your last answer showed nothing to the user. Say what you did, or go on."

/** Runs the turn; completing `interrupt` ends it within moments, keeping what was said. */
export const runTurn = Effect.fnUntraced(function* (
  live: LiveAnswer,
  interrupt: Deferred.Deferred<void>,
): Effect.fn.Return<TurnOutcome, never, CallServices | MessagesApi> {
  const turn = yield* TurnContext
  const work = steps(live).pipe(
    Effect.catchCause((cause) => (Cause.hasInterrupts(cause) ? Effect.failCause(cause) : broken(cause, live))),
  )
  const stopped = Effect.as(Deferred.await(interrupt), "interrupted" as const)
  const outcome = Deferred.isDoneUnsafe(interrupt) ? yield* stopped : yield* Effect.raceFirst(work, stopped)
  if (outcome !== "interrupted") return outcome
  yield* stopTurn(turn, live, "aborted_streaming")
  return "finished"
})

/** The unexpected: the turn still ends in one result, and only the server's log knows why. */
const broken = Effect.fnUntraced(function* (
  cause: Cause.Cause<never>,
  live: LiveAnswer,
): Effect.fn.Return<TurnOutcome, never, TurnContext> {
  const turn = yield* TurnContext
  yield* logDefect("a turn failed", cause)
  yield* breakTurn(turn, live)
  return "finished"
})

const steps = Effect.fnUntraced(function* (
  live: LiveAnswer,
): Effect.fn.Return<TurnOutcome, never, CallServices | MessagesApi> {
  const turn = yield* TurnContext
  if (turn.memory.accounting.tally?.started === true) yield* recoverAnswer()
  else yield* start(turn)
  for (;;) {
    if (turn.memory.transcript.openCalls().length > 0 || needsBatchHook(turn)) {
      const end = yield* withBatch((batch) => resumeCalls(batch))
      if (end === "parked") return "parked"
      if (end === "stopped") {
        yield* stopTurn(turn, live, "aborted_tools")
        return "finished"
      }
      yield* finishBatch(turn)
    }
    if (turn.memory.transcript.last()?.role === "assistant") {
      const next = conclusion(turn)
      if (next.kind === "end") return yield* conclude(turn, next.end)
      if (next.text !== null) yield* say(turn, next.text)
    }
    if (turn.options.maxTurns !== undefined && (turn.memory.accounting.tally?.requests ?? 0) >= turn.options.maxTurns) {
      const errors = [`Reached maximum number of turns (${turn.options.maxTurns})`]
      return yield* conclude(turn, { subtype: "error_max_turns", terminalReason: "max_turns", errors })
    }
    const { stepEnd, callEnd } = yield* withBatch((batch) =>
      Effect.gen(function* () {
        const stepEnd = yield* runStep(batch, live)
        return { stepEnd, callEnd: yield* batch.join }
      }),
    )
    if (stepEnd === "failed") return yield* failed(turn)
    if (callEnd === "parked") return "parked"
    if (callEnd === "stopped") {
      yield* stopTurn(turn, live, "aborted_tools")
      return "finished"
    }
    yield* finishBatch(turn)
  }
})

/** The first events of a turn, in one transaction. */
const start = (turn: TurnContext["Service"]): Effect.Effect<void> => {
  const model = modelOf(turn.options)
  const events: Array<NewEvent> = []
  if (turn.first) events.push(hook(turn, "SessionStart", { source: "startup", model }))
  events.push(
    hook(turn, "UserPromptSubmit", { prompt: promptText(turn.prompt) }),
    initMessage(stamp(turn), {
      cwd: turn.cwd,
      tools: turn.tools.map((tool) => tool.name),
      model,
      permissionMode: turn.policy().mode,
      apiKeySource: turn.apiKeySource,
    }),
  )
  return turn.begin(events)
}

const promptText = (prompt: TurnContext["Service"]["prompt"]): string =>
  typeof prompt === "string"
    ? prompt
    : prompt
        .map((block) => (typeof block["text"] === "string" ? block["text"] : `[${String(block["type"])}]`))
        .join("\n")

/** Runs `use` with a batch whose calls end with it. */
const withBatch = <A>(use: (batch: CallBatch<CallServices>) => Effect.Effect<A, never, CallServices | MessagesApi>) =>
  Effect.flatMap(Scope.make(), (scope) =>
    use(new CallBatch<CallServices>(scope)).pipe(Effect.onExit((exit) => Scope.close(scope, Exit.asVoid(exit)))),
  )

/** Calls that a crash or a question left without a result. */
const resumeCalls = Effect.fnUntraced(function* (
  batch: CallBatch<CallServices>,
): Effect.fn.Return<CallEnd, never, CallServices> {
  const turn = yield* TurnContext
  for (const use of turn.memory.transcript.openCalls()) yield* batch.add(yield* batchedCall(use))
  return yield* batch.join
})

const needsBatchHook = (turn: TurnContext["Service"]): boolean => (turn.memory.accounting.tally?.batch.length ?? 0) > 0

const finishBatch = Effect.fnUntraced(function* (turn: TurnContext["Service"]): Effect.fn.Return<void, never, Log> {
  const results = turn.memory.accounting.tally?.batch ?? []
  if (results.length === 0) return
  const log = yield* Log
  const calls = results.map(({ id, content }) => {
    const use = turn.memory.transcript.toolUse(id)
    return { tool_name: use?.name ?? "", tool_input: use?.input ?? {}, tool_use_id: id, tool_response: content }
  })
  yield* log.append([hook(turn, "PostToolBatch", { tool_calls: calls })])
})

type Conclusion =
  | { readonly kind: "end"; readonly end: TurnEnd }
  | { readonly kind: "again"; readonly text: string | null }

/** The model has spoken and called nothing: the turn ends, unless its answer was cut short. */
const conclusion = (turn: TurnContext["Service"]): Conclusion => {
  const { tally } = turn.memory.accounting
  const last = turn.memory.transcript.last()
  const reason = tally?.stopReason ?? null
  if (reason === "pause_turn") return { kind: "again", text: null }
  const visible =
    last?.content.some((block) => block.type !== "thinking" && block.type !== "redacted_thinking") === true
  if (!visible && tally !== null && !tally.nudged) {
    tally.nudged = true
    return { kind: "again", text: BLANK_TEXT }
  }
  const result = last?.content.findLast((block) => block.type === "text")?.["text"]
  return {
    kind: "end",
    end: { subtype: "success", terminalReason: "completed", result: typeof result === "string" ? result : "" },
  }
}

const say = (turn: TurnContext["Service"], text: string): Effect.Effect<void, never, Log> =>
  Effect.flatMap(Log, (log) => log.append([userTextMessage(stamp(turn), text, true)]))

const conclude = Effect.fnUntraced(function* (
  turn: TurnContext["Service"],
  end: TurnEnd,
): Effect.fn.Return<TurnOutcome, never, never> {
  const stop = hook(turn, "Stop", {
    stop_hook_active: false,
    ...(end.subtype === "success" ? { last_assistant_message: end.result } : {}),
  })
  yield* turn.finish(end.subtype === "success" ? [stop] : [], () => resultMessage(turn, end))
  return "finished"
})

/** The request failed for good: the synthetic message that says so is in the log. */
const failed = Effect.fnUntraced(function* (turn: TurnContext["Service"]): Effect.fn.Return<TurnOutcome, never, never> {
  const error = turn.memory.accounting.tally?.apiError
  const text = error?.text ?? ""
  const end: TurnEnd = {
    subtype: "success",
    terminalReason: error?.kind === "invalid_request" ? "prompt_too_long" : "api_error",
    result: text,
    isError: true,
    apiErrorStatus: error?.status ?? null,
  }
  const stop = hook(turn, "StopFailure", { error: error?.kind ?? "unknown", last_assistant_message: text })
  yield* turn.finish([stop], () => resultMessage(turn, end))
  return "finished"
})
