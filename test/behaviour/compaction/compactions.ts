// Shared by tests of compactions: an answer that summarizes a conversation, and sessions that have had some turns.
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { BYPASS, type loop, type Turns } from "../../support/session/loop.ts"
import { promptFor, scriptName, textAnswer } from "../../support/session/scripts.ts"
import { eventsOf, prompt } from "../../support/session/session-harness.ts"
import type { HookTable } from "../../support/session/session-client.ts"

/** A summary that names the script for the answers after it. */
export const summaryNaming = (script: string) =>
  textAnswer(`<analysis>thoughts</analysis><summary>SUMMARY [[script:${script}]]</summary>`)

/** A window of 100,000 tokens, which an answer with `FULL` fills. */
export const SMALL_WINDOW: SessionOptions = { ...BYPASS, settings: { autoCompactWindow: 100_000 } }
export const FULL = { usage: { input_tokens: 98_000, output_tokens: 100 } }

/** A session whose script is `turns` before a compaction and "after" afterwards; each prompt runs before the next is sent. */
export const conversation = async (
  setting: ReturnType<typeof loop>,
  turns: ReadonlyArray<unknown>,
  {
    hooks = {},
    options = BYPASS,
    compact,
    after = [textAnswer("after the summary")],
  }: {
    readonly hooks?: HookTable
    readonly options?: SessionOptions
    readonly compact?: unknown
    readonly after?: ReadonlyArray<unknown>
  } = {},
) => {
  const opened = await setting.connected(hooks, options)
  const behind = scriptName("behind")
  const script = setting.scripted({ turns, compact: compact ?? summaryNaming(behind) } as Turns)
  setting.scripted({ turns: after, compact: summaryNaming(behind) } as Turns, behind)
  const ids: Array<string> = []
  const say = async (words: string): Promise<string> => {
    const id = prompt(
      opened.session,
      ids.length === 0 && !words.startsWith("/") ? `${promptFor(script)} ${words}` : words,
    )
    ids.push(id)
    await opened.idle()
    return id
  }
  const events = () => eventsOf(opened.log)
  return { ...opened, script, behind, say, events, ids }
}
