// Receives a call that PreToolUse hooks did not stop; returns whether it may run, after asking clients if the policy says so.
// Invariant: one call has at most one ask, and the first answer counts, from a client or a hook.
import * as Effect from "effect/Effect"
import type { HookOutcome } from "../../hooks/outcome.ts"
import { decide, type Decision, type JudgedCall, lateDenial, type Question } from "../../permissions/decide.ts"
import type { Bounds } from "../../permissions/file-rules.ts"
import { withoutDenials } from "../../permissions/policy.ts"
import { offerFor } from "../../permissions/ruleset/offer.ts"
import { type Reason, clientReason } from "../../permissions/reason.ts"
import { dontAskText } from "../../permissions/texts.ts"
import type { NewEvent } from "../../schemas/log/events.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"
import type { PermissionUpdate } from "../../schemas/sdk/options/permissions.ts"
import { errorOutcome } from "../../tools/tool.ts"
import { REJECTED_OUTPUT, REJECTED_TEXT } from "../messages/rejections.ts"
import { type PermissionNote, systemMessage } from "../messages/sdk-messages.ts"
import { type AskAnswer, Asks, type CallServices, Log, type Turn, TurnContext } from "../ports.ts"
import { askClients, askHooks } from "./ask.ts"
import { announced, type Call, decodeGiven, invalidInputText, unknownParameters } from "./call.ts"
import type { CallEnd } from "./call-batch.ts"
import { fire, stamp } from "./hook-events.ts"
import { movedTo, pathOf } from "./judged-call.ts"
import { append, refuse } from "./run-tool.ts"
import { resolvedInput } from "../../tools/files/resolved-path.ts"

export type Permit =
  | {
      readonly kind: "go"
      readonly input: unknown
      readonly extra?: Readonly<Record<string, unknown>>
      readonly note: { readonly permission: PermissionNote }
      /** True when a person or a PermissionRequest hook was asked about this call and allowed it. */
      readonly approved: boolean
      readonly bounds: Bounds
      /** The permission updates of the answer that allowed the call. */
      readonly updates: ReadonlyArray<PermissionUpdate>
      /** Events of the call that are to be appended with its result. */
      readonly unwritten: ReadonlyArray<NewEvent>
    }
  | { readonly kind: "end"; readonly end: CallEnd }

/** `judge` returns what rules and modes decide on, for the call's own input or for the input of an answer. */
export const permission = Effect.fnUntraced(function* (
  call: Call,
  judge: (input: unknown) => JudgedCall,
  hooked: HookOutcome,
  unwritten: ReadonlyArray<NewEvent>,
): Effect.fn.Return<Permit, never, CallServices> {
  const permit = yield* permitted(call, judge(call.input), hooked, unwritten)
  if (permit.kind === "end" || (!permit.approved && hooked.updatedInput === null)) return permit
  // An answer or a hook may have changed the input, and rules may have been added while the ask was open.
  const denial = lateDenial(judge(permit.input), withoutDenials((yield* TurnContext).policy(), permit.updates))
  return denial === null ? permit : yield* denied(call, denial, hooked)
})

const permitted = Effect.fnUntraced(function* (
  call: Call,
  judged: JudgedCall,
  hooked: HookOutcome,
  unwritten: ReadonlyArray<NewEvent>,
): Effect.fn.Return<Permit, never, CallServices> {
  const asks = yield* Asks
  const { question } = call.tool
  // A user can only agree to what the ask shows.
  const isChanged = hooked.updatedInput !== null
  const shown = question === undefined || isChanged ? call : { ...call, input: question.shown(call.input) }
  const known = asks.find(call.use.id)
  if (known !== undefined) {
    const answer = known.answer ?? (yield* asks.wait(known.requestId))
    return yield* settled(shown, answer, known.place)
  }
  const turn = yield* TurnContext
  const given = verdictOf(hooked)
  // As the official SDK: a hook that asks about a question, but provides no input for it, changes nothing.
  const verdict = question !== undefined && given?.behavior === "ask" && !isChanged ? undefined : given
  // As the official SDK: a hook that allows a question and provides an input for it answers instead of the user.
  const replied = verdict?.behavior === "allow" && isChanged
  // A plan is accepted in plan mode, in which only calls that read are allowed.
  const seen = replied ? { ...judged, asksAlways: false, readOnly: judged.readOnly || question !== undefined } : judged
  const decision = decide(seen, turn.policy(), verdict)
  if (decision.behavior === "allow") {
    const { reason, bounds = null } = decision
    const note = { permission: accepted(reason) }
    return {
      kind: "go",
      input: call.input,
      note,
      approved: false,
      bounds,
      updates: [],
      unwritten: [...unwritten, ...announced(call, turn)],
    }
  }
  if (unwritten.length > 0) yield* (yield* Log).append(unwritten)
  if (decision.behavior === "deny") return yield* denied(call, decision, hooked)
  if (turn.policy().prompts === "deny") {
    // As the official SDK: a question that a PreToolUse hook asked for is not put to PermissionRequest hooks.
    const answer = decision.reason.type === "hook" ? null : yield* askHooks(shown, decision)
    if (answer === null)
      return yield* denied(call, turn.policy().unattended ? unattended(decision, seen) : decision, hooked)
    return yield* settled(shown, answer, movedTo(shown, turn))
  }
  const place = movedTo(shown, turn)
  const approval = question === undefined ? offerFor(seen, turn.policy(), verdict) : undefined
  return yield* settled(shown, yield* askClients(shown, decision, approval), place)
})

/** The question of an agent that never asks. */
const unattended = (question: Question, call: JudgedCall): Question => ({
  ...question,
  reason: { type: "asyncAgent", text: "the agent does not ask for permission" },
  message: dontAskText(call),
})

/** The `permission_denied` message for a hook's refusal when no client can be asked. */
const deniedByHook = (turn: Turn, { use, tool }: Call, { by, answer }: AskAnswer): ReadonlyArray<NewEvent> => {
  if (by !== "hook" || turn.policy().prompts !== "deny") return []
  const message = denialOf(answer)
  const reason = "message" in answer ? { decision_reason: message } : {}
  const fields = { tool_name: tool.name, tool_use_id: use.id, decision_reason_type: "hook", ...reason }
  return [systemMessage(stamp(turn), "permission_denied", { ...fields, message })]
}

const denialOf = (answer: AskAnswer["answer"]): string => String(answer["message"] ?? "The permission was denied.")

const accepted = (reason: Reason): PermissionNote => ({
  decision: "accept",
  source: reason.type === "hook" ? "hook" : reason.answered === true ? "user_temporary" : "config",
  ...(reason.tacit === true ? {} : { reason_type: reason.type }),
})

const verdictOf = ({ permission: decided }: HookOutcome) =>
  decided === null || (decided.behavior !== "allow" && decided.behavior !== "ask")
    ? undefined
    : { behavior: decided.behavior, ...(decided.reason === undefined ? {} : { reason: decided.reason }) }

/** A denial without an ask: clients get it as `permission_denied`. */
const denied = Effect.fnUntraced(function* (
  { use, tool }: Call,
  decision: Exclude<Decision, { behavior: "allow" }>,
  hooked: HookOutcome,
): Effect.fn.Return<Permit, never, CallServices> {
  const turn = yield* TurnContext
  const { message, reason } = decision
  const input = resolvedInput(tool.name, use.input, turn)
  const facts = { tool_name: tool.name, tool_input: input, tool_use_id: use.id, reason: reason.text }
  const { events } = yield* fire("PermissionDenied", facts, use.id)
  // As the official SDK: when a deny rule overrides a hook's decision, no message is sent.
  const silent = hooked.permission !== null && decision.behavior === "deny" && reason.type !== "mode"
  const fields = { tool_name: tool.name, tool_use_id: use.id, ...clientReason(reason), message }
  const announcement = silent ? [] : [systemMessage(stamp(turn), "permission_denied", fields)]
  const note =
    decision.behavior === "deny"
      ? ({ notExecuted: "permission-rule", permission: overruledBy(decision, hooked) } as const)
      : ({ notExecuted: "user-rejected", permission: { decision: "reject", source: "config" } } as const)
  return { kind: "end", end: yield* append(use, errorOutcome(message), note, { before: [...announcement, ...events] }) }
})

/** As the official SDK: when a rule overrides a hook's approval of a changed input, it counts as the hook's refusal. */
const overruledBy = (
  { reason }: Extract<Decision, { behavior: "deny" }>,
  { permission: decided, updatedInput }: HookOutcome,
): PermissionNote =>
  decided?.behavior === "allow" && updatedInput !== null
    ? { decision: "reject", source: "hook", reason_type: "hook" }
    : { decision: "reject", source: reason.answered === true ? "user_reject" : "config", reason_type: reason.type }

/** What the answer to an ask means; null parks the turn. `place` is the real path of the call's file when the ask was opened. */
const settled = Effect.fnUntraced(function* (
  call: Call,
  given: AskAnswer | null,
  place: string | undefined,
): Effect.fn.Return<Permit, never, CallServices> {
  if (given === null) return { kind: "end", end: "parked" }
  const { use } = call
  const { by, answer } = given
  if (answer["behavior"] === "allow") return yield* allowed(call, given, place)
  const before = deniedByHook(yield* TurnContext, call, given)
  if (answer["interrupt"] === true) {
    const asks = yield* Asks
    // Without an ask the call gets its result here; a call with one gets it with all open calls when the turn ends.
    if (asks.find(use.id) === undefined) {
      const rejected = { content: REJECTED_TEXT, isError: true, output: REJECTED_OUTPUT }
      yield* append(use, rejected, { notExecuted: "user-rejected", permission: REFUSALS[by] }, { before })
    }
    return { kind: "end", end: "stopped" }
  }
  const message = denialOf(answer)
  const note = { notExecuted: "permission-rule", permission: REFUSALS[by] } as const
  return { kind: "end", end: yield* append(use, errorOutcome(message), note, { before }) }
})

const allowed = Effect.fnUntraced(function* (
  call: Call,
  { by, answer }: AskAnswer,
  place: string | undefined,
): Effect.fn.Return<Permit, never, CallServices> {
  const turn = yield* TurnContext
  const { use, tool } = call
  const permission: PermissionNote =
    by === "hook"
      ? { decision: "accept", source: "hook", reason_type: "hook" }
      : { decision: "accept", source: "user_temporary" }
  const given = answer["updatedInput"]
  // As the official SDK: an empty input changes nothing.
  const changed = isPlainObject(given) && Object.keys(given).length > 0 ? given : null
  const updated = changed === null ? null : yield* decodeGiven(tool, changed)
  if (updated?._tag === "Failure") {
    // As the official SDK: the hook's answer then denies the call.
    if (by === "hook") {
      const message = invalidInputText("PermissionRequest", tool, updated.failure)
      return yield* settled(call, { by, answer: { behavior: "deny", message } }, place)
    }
    const invalid = { permission: { decision: "reject", source: "permission_updated_input_invalid" } } as const
    return { kind: "end", end: yield* refuse(use, updated.failure.message, invalid) }
  }
  const input = updated?.success ?? call.input
  const path = pathOf({ tool, input }, turn)
  // The answer allowed the call for the file that the path led to then, not for another one that a link leads to now.
  if (path !== undefined && path === pathOf(call, turn) && movedTo({ tool, input }, turn) !== place) {
    const text = `${path} is no longer the file that permission was requested for, because a link has changed. Call the tool again.`
    return { kind: "end", end: yield* refuse(use, text, { permission: { decision: "reject", source: "config" } }) }
  }
  // A tool that asks the user was already announced when the ask was opened.
  const unwritten = tool.question === undefined ? announced({ ...call, input }, turn) : []
  return {
    kind: "go",
    note: { permission },
    approved: true,
    bounds: null,
    updates: updatesOf(answer),
    unwritten,
    input,
    ...(changed === null || by === "hook" ? {} : { extra: unknownParameters(tool, changed) }),
  }
})

/** The permission updates of an answer, which the session decoded as a PermissionResult or made itself. */
export const updatesOf = (answer: AskAnswer["answer"]) =>
  (answer["updatedPermissions"] ?? []) as ReadonlyArray<PermissionUpdate>

/** How a refusal is reported, by who or what settled the ask. */
const REFUSALS: Readonly<Record<AskAnswer["by"], PermissionNote>> = {
  client: { decision: "reject", source: "user_reject" },
  hook: { decision: "reject", source: "hook", reason_type: "hook" },
  expiry: { decision: "reject", source: "config" },
  interrupt: { decision: "reject", source: "user_reject" },
  failure: { decision: "reject", source: "config", reason_type: "other" },
}
