// Calls of file tools and of Bash with the official SDK's recorded outcomes: whether they failed, and which hooks received
// each. A row of the fixture is one session: its files, its calls in order, and the outcome of each.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import type { SessionOptions } from "../../src/schemas/sdk/options/options.ts"
import { DONE, loop, payloadsOf, toolResultsOf } from "../support/session/loop.ts"
import { call, promptFor } from "../support/session/scripts.ts"
import { eventsOf, prompt } from "../support/session/session-harness.ts"

interface RecordedCalls {
  readonly name: string
  readonly options?: SessionOptions
  readonly files: Readonly<Record<string, string | { readonly base64: string }>>
  readonly calls: ReadonlyArray<readonly [tool: string, input: Readonly<Record<string, unknown>>, outcome: string]>
}

const file = join(import.meta.dirname, "fixtures/calls/file-tools.json")
const RECORDED = JSON.parse(readFileSync(file, "utf8")) as ReadonlyArray<RecordedCalls>

const { connected, scripted } = loop()

const bytesOf = (content: string | { readonly base64: string }): string | Uint8Array =>
  typeof content === "string" ? content : Uint8Array.from(Buffer.from(content.base64, "base64"))

/** Hooks that fire for a single call. */
const OF_A_CALL: ReadonlySet<unknown> = new Set(["PreToolUse", "PostToolUse", "PostToolUseFailure"])

const outcomesOf = async ({ options = {}, files, calls }: RecordedCalls): Promise<ReadonlyArray<string>> => {
  const { session, workspace, idle, log } = await connected({}, options)
  for (const [name, content] of Object.entries(files)) workspace.writeBytes(`/workspace/${name}`, bytesOf(content))
  const made = calls.map(([tool, input]) => call(tool, input))
  prompt(session, promptFor(scripted([...made.map((one) => ({ content: [one] })), DONE])))
  await idle()
  const events = eventsOf(log)
  return made.map(({ id }) => {
    const result = toolResultsOf(events).find((block) => block.tool_use_id === id)
    const called = payloadsOf(events, "hook:fired").filter(
      ({ hook_event_name: name, input }) =>
        OF_A_CALL.has(name) && (input as { readonly tool_use_id?: string }).tool_use_id === id,
    )
    return [result?.is_error === true ? "error" : "ok", ...called.map((fired) => fired["hook_event_name"])].join(" ")
  })
}

it(`${RECORDED.length} recorded sessions of file tools and Bash end each call as recorded`, async () => {
  for (const recorded of RECORDED) {
    const expected = recorded.calls.map(([, , outcome]) => outcome)
    expect(await outcomesOf(recorded), recorded.name).toEqual(expected)
  }
})
