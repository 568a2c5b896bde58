// Builders that scenarios of compactions share.
import {
  type FullScript,
  promptsInTurn,
  says,
  type Scenario,
  type ScriptedTurn,
  type Turns,
} from "../agents/scenario.ts"

/** A summary that names the script of the answers after it. */
export const summaryNaming = (name: string): ScriptedTurn =>
  says(`<analysis>a</analysis><summary>SUMMARY [[script:${name}]] conversation</summary>`)

/** Makes a prompt long, so that a conversation has something to summarize. */
export const LONG = "lorem ipsum dolor ".repeat(4000)

/** A usage that fills a window of 100,000 tokens. */
export const FULL = { usage: { input_tokens: 98_000, output_tokens: 100 } }
export const SMALL_WINDOW = { settings: { autoCompactWindow: 100_000 } }

export const fails = (status: number, type: string, message: string): ScriptedTurn => ({
  error: { status, type, message },
})
export const TOO_LONG = fails(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum")

/** A script with a summary, and the answers after it. */
export const scripts = (
  name: string,
  turns: Turns,
  { after = [says("after the summary")], compact }: { readonly after?: Turns; readonly compact?: ScriptedTurn } = {},
): { readonly script: FullScript; readonly scripts: Readonly<Record<string, FullScript>> } => ({
  script: { turns, compact: compact ?? summaryNaming(`${name}-after`) },
  scripts: {
    [`${name}-after`]: { turns: after, compact: summaryNaming(`${name}-again`) },
    [`${name}-again`]: { turns: [says("after the second summary")] },
  },
})

/** Consecutive prompts; the first one starts the script. */
export const prompts = (name: string, ...rest: ReadonlyArray<string>) => promptsInTurn(`[[script:${name}]] go`, ...rest)

/** A conversation of these answers and prompts. */
export const conversation = (
  name: string,
  turns: Turns,
  rest: ReadonlyArray<string>,
  { after, compact, ...more }: Partial<Scenario> & { readonly after?: Turns; readonly compact?: ScriptedTurn } = {},
): Scenario => ({
  name,
  ...scripts(name, turns, { ...(after === undefined ? {} : { after }), ...(compact === undefined ? {} : { compact }) }),
  input: prompts(name, ...rest),
  ...more,
})
