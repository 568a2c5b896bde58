// Receives a turn whose conversation is to be summarized; calls the hooks, requests the summary, and returns the events that
// restart the conversation from it, or those that report why the compaction failed.
// Invariant: the conversation changes only when `restart` is appended, in one append: a crash before it leaves the
// conversation unchanged, a crash after it leaves one summary.
import * as Effect from "effect/Effect"
import type { MessagesApi } from "../../model/messages-api.ts"
import { immutableMessage } from "../../model/conversation-cache/immutable-message.ts"
import { estimateMessages } from "../../model/catalogue/estimate.ts"
import type { ConversationReminded } from "../../schemas/log/conversation-events.ts"
import { EventNames, type NewEvent } from "../../schemas/log/events.ts"
import { fire, stamp } from "../calls/hook-events.ts"
import { isOverBudget } from "../conclude.ts"
import { currentModelOf } from "../fallback.ts"
import { sdkEvent, type SystemFields, systemMessage } from "../messages/sdk-messages.ts"
import { type CallServices, Log, TurnContext, type Turn } from "../ports.ts"
import { resendProject } from "../project/resend-project.ts"
import { modelOf } from "../step-request.ts"
import { remindedBlocks } from "../messages/prompt-text.ts"
import { carriedContext } from "./carried-context.ts"
import {
  type CompactionCause,
  type CompactionRange,
  compactionRanges,
  NOTHING,
  TOO_FEW_GROUPS,
  withReports,
} from "./compaction-ranges.ts"
import { summarize } from "./summarize.ts"
import { continuationText, summaryOf } from "./summary-text.ts"
import { charactersOf, type SummaryProgress, whileCompacting } from "./while-compacting.ts"
import { exceedsWindow, tokensInUse } from "./window.ts"
import { storedMessages } from "../transcript/sent-messages.ts"

/** `closing`: the events of the compaction's hooks, and its outcome for clients (`system/status`). */
export type Compaction =
  | {
      readonly closing: ReadonlyArray<NewEvent>
      /** The `compact_boundary` message, the summary, and the conversation that starts with it. */
      readonly restart: ReadonlyArray<NewEvent>
      /** The hooks' messages to the person who requested the compaction. */
      readonly says: ReadonlyArray<string>
      readonly failed?: never
    }
  | { readonly closing: ReadonlyArray<NewEvent>; readonly failed: string }

/** Requests a summary of the conversation. `excess`: which share of a refused request's tokens was too many, or null. */
export const compact = Effect.fnUntraced(function* (
  cause: CompactionCause,
  { instructions = null, excess = null }: { readonly instructions?: string | null; readonly excess?: number | null },
): Effect.fn.Return<Compaction, never, CallServices | MessagesApi> {
  const turn = yield* TurnContext
  const log = yield* Log
  const trigger = cause === "manual" ? "manual" : "auto"
  const startedAt = turn.now()
  const progress: SummaryProgress = { live: null }
  const announce = Effect.suspend(() => {
    // As the official SDK: only the state of an automatic compaction contains how much of the summary has arrived.
    const arrived = cause === "manual" ? {} : { compact_output_chars: charactersOf(progress) }
    const compacting = status(turn, { status: "compacting", ...arrived })
    // A manual compaction runs before its turn's first events are appended.
    return cause === "manual" ? turn.announce([compacting]) : log.append([compacting])
  })
  // As the official SDK: the hooks of an automatic compaction are called before it is announced.
  if (cause === "manual") yield* announce
  const before = yield* fire("PreCompact", { trigger, custom_instructions: instructions })
  if (cause !== "manual") yield* announce
  const record = [...before.record]
  const fail = (failed: string) => ({ closing: [...record, failedState(turn, failed)], failed })
  const { block, stop, contexts, systemMessages } = before.outcome
  if (block !== null || stop !== null) {
    const message = block?.message
    const failed = message === undefined ? BLOCKED : `${BLOCKED} ${message}`
    const error = `${BLOCKED} ${message ?? block?.reason ?? stop?.reason ?? "No reason was given."}`
    // As the official SDK: an automatic compaction that is stopped emits no message.
    const state = trigger === "manual" ? failedState(turn, error) : status(turn, { status: null })
    return { closing: [...record, state], failed }
  }
  const ranges = compactionRanges(withReports(turn.memory.transcript), cause, excess)
  if (ranges.length === 0) return fail(cause === "manual" ? NOTHING : TOO_FEW_GROUPS)
  // As the official SDK: messages of PreCompact hooks are instructions for the model that writes the summary.
  const allInstructions = [instructions, ...contexts, ...systemMessages].filter((text) => text !== null).join("\n")
  const summary = yield* summarize(ranges, {
    cause,
    instructions: allInstructions === "" ? null : allInstructions,
    model: summaryModel(turn, cause),
    record,
    progress,
  }).pipe(whileCompacting(announce))
  if (summary.failed !== undefined) {
    return fail(trigger === "manual" ? `Error during compaction: ${summary.failed}` : summary.failed)
  }
  return yield* restartedFrom(summary.answer, {
    cause,
    trigger,
    startedAt,
    systemMessages,
    record,
    preserved: summary.preserved,
  })
})

/** A compaction whose summary has been written. */
interface Summarized {
  readonly cause: CompactionCause
  readonly trigger: "manual" | "auto"
  readonly startedAt: number
  /** The messages of the PreCompact hooks. */
  readonly systemMessages: ReadonlyArray<string>
  /** The hook events so far. */
  readonly record: ReadonlyArray<NewEvent>
  readonly preserved: CompactionRange["preserved"]
}

const restartedFrom = Effect.fnUntraced(function* (
  answer: string,
  { cause, trigger, startedAt, systemMessages, record, preserved }: Summarized,
): Effect.fn.Return<Compaction, never, CallServices> {
  const turn = yield* TurnContext
  const began = yield* fire("SessionStart", { source: "compact", model: modelOf(turn.options) })
  const after = yield* fire("PostCompact", { trigger, compact_summary: answer })
  const warnings = [...began.record.slice(1), ...after.record.slice(1)]
  const goesOn = { goesOn: cause !== "manual", preserves: preserved.length > 0 }
  const text = continuationText(summaryOf(answer), goesOn)
  const messages = [immutableMessage({ role: "user", content: [{ type: "text", text }] }), ...preserved]
  const carried = carriedContext(turn, messages)
  const project = yield* resendProject(
    turn,
    carried.files.map(({ path }) => path),
  )
  const shown = summaryMessage(turn, text, trigger)
  const kept = turn.memory.transcript.lastUuids(preserved.filter(({ role }) => role === "assistant").length)
  const retry = cause === "refused" || cause === "oversized" ? ({ retry: true } as const) : {}
  return {
    // As the official SDK: warnings about hooks come before the outcome.
    closing: [...record, ...warnings, status(turn, { status: null, compact_result: "success" })],
    restart: [
      // As the official SDK: in a manual compaction, messages of SessionStart hooks to clients come before `compact_boundary`.
      ...(trigger === "manual" ? began.messages : []),
      systemMessage(stamp(turn), "compact_boundary", {
        compact_metadata: {
          trigger,
          pre_tokens: tokensInUse(turn.memory),
          post_tokens: estimateMessages([...messages, { content: remindedBlocks(carried) }]),
          duration_ms: turn.now() - startedAt,
          ...(kept === null ? {} : keptOf(kept, shown.uuid)),
        },
      }),
      // As the official SDK: if the summary has used up the budget, the turn ends before clients are sent its text.
      ...(trigger === "auto" && isOverBudget(turn) ? [] : [shown]),
      {
        name: EventNames.conversationRestarted,
        payload: { cause: "compact", messages: storedMessages(messages), ...retry },
        turn: turn.id,
      },
      ...remindedOf(turn, carried),
      ...project,
      // Contexts of SessionStart hooks belong to the restarted conversation.
      ...began.record.slice(0, 1),
      ...(trigger === "manual" ? [] : began.messages),
      ...after.record.slice(0, 1),
    ],
    says: [
      ...systemMessages.map((text) => `PreCompact: ${text}`),
      ...after.outcome.systemMessages.map((text) => `PostCompact: ${text}`),
    ],
  }
})

/**
 * The model of an automatic compaction's summary, or null for the turn's own. As the official SDK: after a change to a model
 * with a smaller window, which the conversation exceeds, the model of the last answer summarizes it.
 */
const summaryModel = (turn: Turn, cause: CompactionCause): string | null =>
  cause !== "manual" && exceedsWindow(turn, currentModelOf(turn)) ? turn.memory.accounting.lastModel : null

/** The state for clients when a compaction is stopped while it runs. */
export const cancelledState = (turn: Turn): NewEvent => failedState(turn, CANCELLED)

/** The message to people about a compaction that was stopped. */
export const CANCELLED = "The compaction was cancelled."

/** As the official SDK: the command's answer has the hook's message, and not its reason, which is in the state for clients. */
const BLOCKED = "A PreCompact hook has stopped the compaction."

const failedState = (turn: Turn, error: string): NewEvent =>
  status(turn, { status: null, compact_result: "failed", compact_error: error })

const status = (turn: Turn, fields: SystemFields<"status">): NewEvent => systemMessage(stamp(turn), "status", fields)

/** The summary for clients. As the official SDK: a text in a manual compaction, else a block. */
const summaryMessage = (turn: Turn, text: string, trigger: "manual" | "auto"): NewEvent & { readonly uuid: string } => {
  const { sessionId, at, uuid } = stamp(turn)
  const event = sdkEvent(turn.id, "sdk:user", {
    message: { role: "user", content: trigger === "manual" ? text : [{ type: "text", text }] },
    session_id: sessionId,
    parent_tool_use_id: null,
    uuid,
    timestamp: new Date(at).toISOString(),
    ...(trigger === "manual" ? { isReplay: false } : {}),
    isSynthetic: true,
  })
  return { ...event, uuid }
}

const remindedOf = (turn: Turn, carried: ConversationReminded): ReadonlyArray<NewEvent> =>
  carried.files.length + carried.texts.length === 0
    ? []
    : [{ name: EventNames.conversationReminded, payload: carried, turn: turn.id }]

/** The metadata about the messages that the compaction preserves. */
const keptOf = (uuids: ReadonlyArray<string>, anchor: string) => ({
  preserved_segment: { head_uuid: uuids[0] ?? anchor, anchor_uuid: anchor, tail_uuid: uuids.at(-1) ?? anchor },
  preserved_messages: { anchor_uuid: anchor, uuids },
})
