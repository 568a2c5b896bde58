// Receives the hooks of an event and a function that calls one; calls all that match at once and returns their combined outcome.
// Invariant: it never fails and waits for no hook longer than its timeout; interrupting it interrupts every hook.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { decodeHookOutput } from "../schemas/sdk/hooks/hook-outputs.ts"
import type { HookEvent } from "../schemas/sdk/hooks/hooks.ts"
import { type HookOutput, keepsPrompt, requestOf, stopOf } from "./hook-output.ts"
import { hookMatches } from "./matcher.ts"
import { type HookAnswer, mergeAnswers } from "./merge.ts"
import { HookFailureKind, type HookOutcome, NO_HOOKS } from "./outcome.ts"
import type { HookEntry } from "./registry.ts"

/** Why a hook gave no answer. The message goes to the log and to clients: no secret, no address beyond its origin. */
export class HookFailure extends Schema.TaggedError<HookFailure>()("HookFailure", {
  kind: HookFailureKind,
  message: Schema.String,
}) {}

export interface HookCall {
  readonly entry: HookEntry
  readonly event: HookEvent
  readonly input: Readonly<Record<string, unknown>>
  readonly toolUseId?: string
}

/** Calls one hook; returns its raw JSON answer, undefined or null for no opinion. */
export type CallHook = (call: HookCall) => Effect.Effect<unknown, HookFailure>

/** The most characters of a failure's message, since the log stores it. */
const MAX_MESSAGE = 500

/**
 * The combined outcome of the hooks that match an event. As the official SDK: PermissionRequest ends with the first decision,
 * the event of a prompt with the first hook that blocks it; the other hooks are interrupted. Every other event waits for all
 * hooks, and so does a stopped prompt, because a failing hook may still refuse it. A defect of `call` is a defect here.
 */
export const runHooks = (
  entries: ReadonlyArray<HookEntry>,
  event: HookEvent,
  input: Readonly<Record<string, unknown>>,
  toolUseId: string | undefined,
  call: CallHook,
): Effect.Effect<HookOutcome> =>
  Effect.suspend(() => {
    const called = entries.filter((entry) => hookMatches(entry, event, input))
    if (called.length === 0) return Effect.succeed(NO_HOOKS)
    const finished: Array<HookAnswer> = []
    const askOne = (entry: HookEntry, order: number) =>
      answerOf(call, { entry, event, input, ...(toolUseId === undefined ? {} : { toolUseId }) }).pipe(
        Effect.flatMap((answer) => {
          finished.push({ entry, order, ...answer })
          if (!("output" in answer)) return Effect.void
          const isRefused = keepsPrompt(event, answer.output) && finished.every((other) => !stops(other))
          const decided = isRefused || requestOf(event, answer.output) !== null
          return decided ? Effect.fail("decided" as const) : Effect.void
        }),
      )
    return Effect.forEach(called, askOne, { concurrency: "unbounded", discard: true }).pipe(
      Effect.catch(() => Effect.void),
      Effect.map(() => mergeAnswers(event, input, called.length, finished)),
    )
  })

const stops = (answer: HookAnswer): boolean => "output" in answer && stopOf(answer.output) !== null

const answerOf = (call: CallHook, hook: HookCall) =>
  call(hook).pipe(
    Effect.timeoutOrElse({
      duration: hook.entry.timeoutMs,
      orElse: () =>
        Effect.fail(new HookFailure({ kind: "timeout", message: `No response within ${hook.entry.timeoutMs} ms.` })),
    }),
    Effect.flatMap((raw) => Effect.fromResult(readOutput(hook.event, raw))),
    Effect.match({
      onSuccess: (output) => ({ output }),
      onFailure: ({ kind, message }) => ({ failure: { kind, message: message.slice(0, MAX_MESSAGE) } }),
    }),
  )

const invalid = (message: string) => Result.fail(new HookFailure({ kind: "invalid", message }))

/** Decodes a hook's answer. An `async` answer, which announces a later one, has no effect. */
const readOutput = (event: HookEvent, raw: unknown): Result.Result<HookOutput, HookFailure> => {
  const decoded = decodeHookOutput(raw ?? {})
  if (Result.isFailure(decoded)) return invalid(`The answer is not a hook output: ${decoded.failure.message}`)
  const output = decoded.success
  if (output.async === true) return Result.succeed({})
  const specific = output.hookSpecificOutput
  const named = specific?.hookEventName
  // As the official SDK: a guard of tool calls may decide about scripts in the same form.
  if (event === "PreSkillShellCommand" && named === "PreToolUse")
    return Result.succeed({ ...output, hookSpecificOutput: { ...specific, hookEventName: event } })
  if (named !== undefined && named !== event) {
    const message = `The answer is for ${named}, not for ${event}.`
    return Result.fail(new HookFailure({ kind: "misaddressed", message }))
  }
  return Result.succeed(output)
}
