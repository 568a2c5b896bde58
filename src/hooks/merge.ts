// Receives the answers of the hooks of one event, in the order in which they finished; returns their combined outcome.
// Invariant: deny beats defer, ask and allow in any order. Only `updatedInput`, `updatedOutput`, `displayContent`, the reason of
// a denied call (the last to finish wins), `request`, whether a prompt is stopped or blocked (the first wins), the contexts of a
// stopped PostToolUse, the messages to clients and the reasons of Stop and SubagentStop depend on that order, as observed of the
// official SDK; everything else follows the order of registration.
import type { HookEvent } from "../schemas/sdk/hooks/hooks.ts"
import {
  blockReason,
  contextOf,
  displayContentOf,
  elicitationOf,
  type HookOutput,
  initialMessageOf,
  keepsPrompt,
  permissionsOf,
  requestOf,
  stopOf,
  suppressesPrompt,
  switchesOf,
  titleOf,
  unsupportedOf,
  updatedInputOf,
  updatedOutputOf,
  type Verdict,
} from "./hook-output.ts"
import type { HookFailureKind, HookOutcome } from "./outcome.ts"
import type { HookEntry } from "./registry.ts"

/** One hook's answer, or why there is none. `order` is its index among the called hooks, in the order of registration. */
export type HookAnswer = { readonly entry: HookEntry; readonly order: number } & (
  | { readonly output: HookOutput }
  | { readonly failure: { readonly kind: HookFailureKind; readonly message: string } }
)

/** `ran` also counts hooks that were interrupted and so are missing in `finished`. */
export const mergeAnswers = (
  event: HookEvent,
  input: Readonly<Record<string, unknown>>,
  ran: number,
  finished: ReadonlyArray<HookAnswer>,
): HookOutcome => {
  const registered = finished.toSorted((a, b) => a.order - b.order)
  const outputs = registered.flatMap(outputsOf)
  const inTime = finished.flatMap(outputsOf)
  const failures = registered.flatMap((answer) => ("failure" in answer ? [judged(event, answer)] : []))
  const refusals = failures.filter((failure) => failure.blocks).map((failure) => refusalText(event, failure))
  const denials = [
    ...refusals.map((reason) => ({ behavior: "deny" as const, reason })),
    ...failures
      .filter(({ asks }) => asks === true)
      .map((failure) => ({ behavior: "ask" as const, reason: askText(failure) })),
  ]
  const isStop = event === "Stop" || event === "SubagentStop"
  const blocks = [...valuesOf(isStop ? inTime : outputs, blockReason), ...refusals]
  const [sessionTitle] = valuesOf(outputs, titleOf)
  const [initialUserMessage] = valuesOf(outputs, initialMessageOf)
  const displayContent = valuesOf(inTime, displayContentOf).at(-1)
  // As the official SDK: if a PostToolUse hook ends the turn, its context and those of hooks that finish after it are dropped.
  const stopAt = event === "PostToolUse" ? inTime.findIndex((output) => stopOf(output) !== null) : -1
  const unsupported = [...new Set(outputs.flatMap((output) => unsupportedOf(event, output)))]
  return {
    ran,
    permission:
      event === "PreToolUse"
        ? (lastDenial(event, finished) ??
          strongest(["defer", "ask", "allow"], [...outputs.flatMap(permissionsOf), ...denials]))
        : null,
    updatedInput: valuesOf(inTime, updatedInputOf).at(-1) ?? null,
    contexts: valuesOf(stopAt < 0 ? outputs : inTime.slice(0, stopAt), contextOf).filter((text) => text !== ""),
    block:
      event === "PreToolUse" || blocks.length === 0 || (refusals.length === 0 && stopsPrompt(event, inTime))
        ? null
        : { ...blockOf(blocks), ...blockMessageOf(event, outputs) },
    stop: valuesOf(outputs, stopOf)[0] ?? null,
    systemMessages: valuesOf(inTime, (output) => output.systemMessage).filter((text) => text !== ""),
    updatedOutput: valuesOf(inTime, (output) => updatedOutputOf(output, input["tool_name"])).at(-1) ?? null,
    request:
      refusedRequest(event, httpRefusals(event, failures)) ??
      valuesOf(inTime, (output) => requestOf(event, output))[0] ??
      refusedRequest(event, refusals),
    failures: failures.map(({ http: _, ...failure }) => failure),
    ...(displayContent === undefined ? {} : { displayContent }),
    ...(unsupported.length === 0 ? {} : { unsupported }),
    ...(sessionTitle === undefined ? {} : { sessionTitle }),
    ...(outputs.some(suppressesPrompt) ? { suppressOriginalPrompt: true } : {}),
    ...(initialUserMessage === undefined ? {} : { initialUserMessage }),
    modelSwitch:
      event === "PreModelSwitch"
        ? strongest(["deny", "ask", "allow"], [...outputs.flatMap(switchesOf), ...denials])
        : null,
    elicitation: valuesOf(outputs, elicitationOf)[0] ?? null,
  }
}

const blockOf = (reasons: ReadonlyArray<string>) => ({
  reason: reasons.join("\n"),
  ...(reasons.length > 1 ? { reasons } : {}),
})

const blockMessageOf = (event: HookEvent, outputs: ReadonlyArray<HookOutput>): { readonly message?: string } => {
  if (event !== "PreCompact") return {}
  const texts = outputs.flatMap((output) => (blockReason(output) === undefined ? [] : (output.systemMessage ?? [])))
  const message = texts.join("\n")
  return message === "" ? {} : { message }
}

/**
 * True when a prompt counts as stopped although a hook blocks it; the reason then stays in the conversation. As the official
 * SDK: the first hook to stop or block decides, and a hook that does both stops the prompt.
 */
const stopsPrompt = (event: HookEvent, outputs: ReadonlyArray<HookOutput>): boolean => {
  const first = outputs.find((output) => keepsPrompt(event, output))
  return first !== undefined && stopOf(first) !== null
}

const outputsOf = (answer: HookAnswer): ReadonlyArray<HookOutput> => ("output" in answer ? [answer.output] : [])

/** The values of a field in the outputs that have it. */
const valuesOf = <A>(
  outputs: ReadonlyArray<HookOutput>,
  read: (output: HookOutput) => A | null | undefined,
): ReadonlyArray<A> => outputs.flatMap((output) => read(output) ?? [])

/** The verdict with the strongest behaviour; among several such verdicts, that of the hook registered first. */
const strongest = <Behavior extends string>(
  order: ReadonlyArray<Behavior>,
  verdicts: ReadonlyArray<Verdict<Behavior>>,
): Verdict<Behavior> | null => {
  for (const behavior of order) {
    const found = verdicts.find((verdict) => verdict.behavior === behavior)
    if (found !== undefined) return found
  }
  return null
}

/** The denial of a call that arrived last: a hook's own, or that of a hook whose failure denies the call. */
const lastDenial = (event: HookEvent, finished: ReadonlyArray<HookAnswer>): HookOutcome["permission"] => {
  const verdicts = finished.flatMap((answer) => {
    if ("output" in answer) return permissionsOf(answer.output)
    const failure = judged(event, answer)
    return failure.blocks ? [{ behavior: "deny" as const, reason: refusalText(event, failure) }] : []
  })
  return verdicts.findLast(({ behavior }) => behavior === "deny") ?? null
}

/** Events to which a callback's `onFailure: "block"` does not apply, because a refusal would keep the agent running. */
const UNGUARDED: ReadonlySet<HookEvent> = new Set(["Stop", "SubagentStop", "TaskCompleted", "TeammateIdle"])

type Failed = Extract<HookAnswer, { readonly failure: unknown }>

interface JudgedFailure {
  readonly kind: HookFailureKind
  readonly message: string
  readonly blocks: boolean
  readonly asks?: true
  readonly http: boolean
}

const judged = (event: HookEvent, { entry, failure }: Failed): JudgedFailure => ({
  ...failure,
  blocks: failureBlocks(event, entry, failure.kind),
  ...(entry.onFailure === "ask" && event === "PreToolUse" ? { asks: true } : {}),
  http: entry.kind === "http",
})

/** Events for which, as in the official SDK, a callback that does not answer in time refuses. */
const REFUSES_WHEN_LATE: ReadonlySet<HookEvent> = new Set([
  "PreToolUse",
  "PreSkillShellCommand",
  "PermissionRequest",
  "UserPromptSubmit",
  "UserPromptExpansion",
  "PreModelSwitch",
  "TaskCreated",
  "TaskCompleted",
])

/**
 * Whether a failure counts as a refusal. An HTTP hook refuses whenever its `onFailure` is "block". For a client's callbacks,
 * as in the official SDK: those of an event that decides refuse on a timeout, PreToolUse and PreSkillShellCommand also when their
 * answer is for another event, and these and PermissionRequest when the client that would have answered is gone; a hook that
 * throws or answers with an invalid output has no opinion unless `onFailure` is "block".
 */
const failureBlocks = (event: HookEvent, entry: HookEntry, kind: HookFailureKind): boolean => {
  if (entry.kind === "http") return entry.onFailure === "block"
  if (kind === "timeout" && REFUSES_WHEN_LATE.has(event)) return true
  const isGuard = event === "PreToolUse" || event === "PreSkillShellCommand"
  if (isGuard && (kind === "gone" || kind === "misaddressed")) return true
  if (event === "PermissionRequest" && kind === "gone") return true
  return entry.onFailure === "block" && !UNGUARDED.has(event)
}

const refusalText = (
  event: HookEvent,
  failure: { readonly kind: HookFailureKind; readonly message: string },
): string => {
  if (failure.kind === "timeout") return `A ${event} hook did not respond in time, so this was refused.`
  if (failure.kind === "gone") return `The client that answers the ${event} hook has disconnected, so this was refused.`
  return `A ${event} hook failed, so this was refused: ${failure.message}`
}

const askText = ({ message }: JudgedFailure): string => `A PreToolUse hook failed, so a person is asked: ${message}`

/** The refusals of failed HTTP hooks: they count like a hook's answer, so that no approval overrules them. */
const httpRefusals = (event: HookEvent, failures: ReadonlyArray<JudgedFailure>): ReadonlyArray<string> =>
  failures.filter(({ blocks, http }) => blocks && http).map((failure) => refusalText(event, failure))

/** The decision that a failed PermissionRequest hook makes by refusing, or null. */
const refusedRequest = (event: HookEvent, refusals: ReadonlyArray<string>): HookOutcome["request"] => {
  const [message] = refusals
  return event === "PermissionRequest" && message !== undefined ? { behavior: "deny", message } : null
}
