// Conversations that are full again right after each automatic compaction.
import { bash, calls, says, type FullScript, type Scenario, type ScriptedTurn } from "../agents/scenario.ts"
import { FULL, prompts, SMALL_WINDOW, summaryNaming, TOO_LONG } from "./compacting.ts"

const reads = (label: string, extra = {}): ScriptedTurn => ({ ...calls(bash(label, `echo ${label}`)), ...extra })

/** A script for each part between two summaries: `steps` answers, the last of which fills the window. */
const parts = (
  name: string,
  count: number,
  partOf: (part: number) => ReadonlyArray<ScriptedTurn>,
  full: object = FULL,
): { readonly script: FullScript; readonly scripts: Readonly<Record<string, FullScript>> } => {
  const named = (part: number) => `${name}-${part}`
  const script = (part: number): FullScript => ({
    // After a summary, the last answer before it comes first, if it is preserved.
    turns: part === 0 ? partOf(part) : [reads(`u${part}`, full), ...partOf(part)],
    compact: summaryNaming(named(part + 1)),
  })
  const rest = Array.from({ length: count }, (_, at) => [named(at + 1), script(at + 1)] as const)
  return { script: script(0), scripts: Object.fromEntries(rest) }
}

/** Parts of `steps` calls, the last of which fills the window. */
const stepsOf =
  (steps: number) =>
  (part: number): ReadonlyArray<ScriptedTurn> =>
    Array.from({ length: steps }, (_, at) => reads(`t${part}.${at}`, at === steps - 1 ? FULL : {}))

const refilled = (
  name: string,
  made: ReturnType<typeof parts>,
  rest: ReadonlyArray<string> = [],
  more: Partial<Scenario> = {},
): Scenario => ({ name, ...made, input: prompts(name, ...rest), options: { ...SMALL_WINDOW, maxTurns: 30 }, ...more })

const first = (partOf: ReturnType<typeof stepsOf>) => (part: number) =>
  part === 0 ? [reads("t"), ...partOf(part)] : partOf(part)

export const REFILLED: ReadonlyArray<Scenario> = [
  refilled("refilled-at-each-step", parts("refilled-at-each-step", 8, first(stepsOf(1)))),
  refilled(
    "refilled-as-refused",
    parts(
      "refilled-as-refused",
      8,
      first((part) => [reads(`t${part}`), TOO_LONG]),
      {},
    ),
  ),
  refilled("refilled-every-third-step", parts("refilled-every-third-step", 8, first(stepsOf(3)))),
  refilled(
    "refilled-at-each-prompt",
    parts("refilled-at-each-prompt", 8, (part) =>
      part === 0 ? [says("first"), says("second", FULL)] : [says(`answer ${part}`, FULL)],
    ),
    Array.from({ length: 7 }, (_, at) => `prompt ${at}`),
  ),
]
