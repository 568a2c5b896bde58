// Receives a turn whose calls have their results; calls the PostToolBatch hook, loads the instructions of
// folders that the calls used, and adds the prompts that arrived meanwhile.
// Invariant: what decides the turn is read from the log, so that a turn that a crash cut off here decides the same.
import * as Effect from "effect/Effect"
import { EventNames, type NewEvent } from "../schemas/log/events.ts"
import { isOverTurns } from "./conclude.ts"
import type { CallBatch } from "./calls/call-batch.ts"
import { batchFacts, fire, hook } from "./calls/hook-events.ts"
import { loadNested } from "./project/load-instructions.ts"
import { loadMentions } from "./project/load-mentions.ts"
import { submitInput } from "./messages/prompt-text.ts"
import { refusalNotice, refusalOf } from "./messages/refused-prompt.ts"
import { type CallServices, Hooks, Log, type Turn } from "./ports.ts"
import { deliveries } from "./subagents/send-message.ts"

/** True when there are results since the last PostToolBatch hook. */
export const needsBatchHook = (turn: Turn): boolean => (turn.memory.accounting.tally?.batch.length ?? 0) > 0

/** True when a hook has ended the turn, its structured value was accepted, or its subtask is complete. */
export const isDecided = (turn: Turn): boolean => {
  const { tally } = turn.memory.accounting
  return tally?.halted === true || (tally?.structured ?? null) !== null || completionOf(turn) !== null
}

/** What a routed run reported at its end, or null. A run with an output format continues until its value is returned. */
export const completionOf = ({ memory: { accounting }, options }: Turn) =>
  options.outputFormat === undefined ? (accounting.tally?.completed ?? null) : null

/**
 * The PostToolBatch event, and the instructions that follow it, if all calls ended while the answer streamed and no hook listens:
 * appended with the answer's end.
 */
export const batchEvent = (
  turn: Turn,
  batch: CallBatch<CallServices>,
): Effect.Effect<ReadonlyArray<NewEvent>, never, CallServices> =>
  Effect.flatMap(Hooks, (hooks) =>
    batch.isDone &&
    !hooks.listens("PostToolBatch") &&
    !hooks.listens("InstructionsLoaded") &&
    turn.options.outputFormat === undefined &&
    needsBatchHook(turn)
      ? Effect.map(loadNested(turn), (nested) => [hook(turn, "PostToolBatch", batchFacts(turn)), ...nested])
      : Effect.succeed([]),
  )

/** To be called after the calls of an answer: calls the PostToolBatch hook and joins prompts that arrived meanwhile. */
export const finishBatch = Effect.fnUntraced(function* (turn: Turn): Effect.fn.Return<void, never, CallServices> {
  // Before its own prompt has started, a turn has no batch, and no prompt joins it.
  if (turn.memory.accounting.tally?.started !== true || turn.memory.transcript.last()?.role !== "user") return
  const log = yield* Log
  if (needsBatchHook(turn)) {
    const facts = batchFacts(turn)
    const { outcome, events: fired } = yield* fire("PostToolBatch", facts)
    // As the official SDK: nothing comes between a structured value and the end of its turn.
    const isEnd = turn.memory.accounting.tally.structured !== null
    const events = isEnd ? [hook(turn, "PostToolBatch", facts), ...fired.slice(1)] : fired
    const nested = (outcome.stop ?? outcome.block) === null ? yield* loadNested(turn) : []
    yield* log.append([...events, ...nested])
  }
  const delivered = deliveries(turn)
  if (delivered.length > 0) yield* log.append(delivered)
  // When the turn makes no further model request, later prompts become turns of their own.
  if (!isDecided(turn) && !isOverTurns(turn)) yield* joinPrompts(turn)
})

/**
 * Prompts that arrived while calls ran become part of the turn, as far as hooks allow it. As the official SDK: a blocked prompt
 * is dropped with a notice; a stopped prompt, and those after it, wait for turns of their own; no hook is called for a prompt
 * that needs no answer.
 */
const joinPrompts = Effect.fnUntraced(function* (turn: Turn): Effect.fn.Return<void, never, CallServices> {
  const log = yield* Log
  for (const { prompt, needsNoAnswer, events, ended, join } of turn.joining()) {
    if (needsNoAnswer) {
      yield* log.append(events, join)
      continue
    }
    const submitted = yield* fire("UserPromptSubmit", submitInput(turn, prompt))
    if (submitted.outcome.block === null && submitted.outcome.stop !== null) {
      yield* log.append(submitted.record)
      return
    }
    const refusal = refusalOf(prompt, "UserPromptSubmit", submitted.outcome)
    const refused = refusal !== null
    const own = events.flatMap((event) => (event.name === EventNames.turnJoined ? [event.payload.turn] : []))
    // A refused prompt is logged as cancelled: it is part of no conversation.
    const joining = refused
      ? [...events.map((event) => (event.name === EventNames.turnJoined ? dropped(event) : event)), ...ended]
      : events
    const mentions = refused ? [] : yield* loadMentions(turn, prompt, own[0])
    const notices = refused ? [...submitted.record, refusalNotice(turn, refusal)] : submitted.events
    yield* log.append([...notices, ...mentions, ...joining], join)
  }
})

const dropped = ({ payload }: NewEvent<"turn:joined">): NewEvent => ({
  name: EventNames.turnCancelled,
  payload: {},
  turn: payload.turn,
})
