// Hooks with answers from a table, for tests of the runner.
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { HookOutcome } from "../../src/hooks/outcome.ts"
import type { HookEntry } from "../../src/hooks/registry.ts"
import { type CallHook, HookFailure, runHooks } from "../../src/hooks/runner.ts"
import type { HookEvent } from "../../src/schemas/sdk/hooks/hooks.ts"

/** What a hook does: it answers after `after` ms, or fails, or never answers. */
export interface Scripted {
  readonly answer?: unknown
  readonly fails?: "threw" | "gone" | "invalid" | "timeout"
  readonly never?: true
  readonly after?: number
  readonly entry?: Partial<HookEntry>
}

export const entryOf = (index: number, more: Partial<HookEntry> = {}): HookEntry => ({
  id: `client:${index}`,
  kind: "client",
  timeoutMs: 60_000,
  onFailure: "continue",
  callbackId: `hook_${index}`,
  ...more,
})

export interface Run {
  readonly outcome: HookOutcome
  /** Ids of the called hooks, in order. */
  readonly asked: ReadonlyArray<string>
  readonly interrupted: ReadonlyArray<string>
  /** The duration of the run in milliseconds. */
  readonly took: number
}

/** Runs the hooks of one event with a clock that advances second by second. */
export const run = (
  event: HookEvent,
  hooks: ReadonlyArray<Scripted>,
  input: Record<string, unknown> = { tool_name: "Write" },
): Promise<Run> => {
  const asked: Array<string> = []
  const interrupted: Array<string> = []
  const scripts = new Map(hooks.map((hook, index) => [`client:${index}`, hook]))
  const call: CallHook = ({ entry }) =>
    Effect.suspend(() => {
      asked.push(entry.id)
      const hook = scripts.get(entry.id)!
      if (hook.never) return Effect.never
      const output =
        hook.fails === undefined
          ? Effect.succeed(hook.answer)
          : Effect.fail(new HookFailure({ kind: hook.fails, message: `hook ${hook.fails}` }))
      return hook.after === undefined ? output : Effect.andThen(Effect.sleep(hook.after), output)
    }).pipe(Effect.onInterrupt(() => Effect.sync(() => interrupted.push(entry.id))))
  return Effect.gen(function* () {
    const entries = hooks.map((hook, index) => entryOf(index, hook.entry))
    const fiber = yield* Effect.forkChild(runHooks(entries, event, input, "toolu_1", call))
    let took = 0
    yield* TestClock.adjust(0)
    while (fiber.pollUnsafe() === undefined) {
      took += 100
      yield* TestClock.adjust(100)
    }
    return { outcome: yield* Fiber.join(fiber), asked, interrupted, took }
  }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise)
}

/** A PreToolUse answer. */
export const pre = (fields: Record<string, unknown>) => ({
  hookSpecificOutput: { hookEventName: "PreToolUse", ...fields },
})
