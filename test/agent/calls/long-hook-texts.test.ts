// Long contexts and messages of hooks: what the model and clients get of them, and where the rest is.
import { expect, it } from "vitest"
import { MAX_HOOK_TEXT } from "../../../src/agent/calls/long-hook-texts.ts"
import { call } from "../../support/session/scripts.ts"
import { BYPASS, DONE, loop, payloadsOf, textOf } from "../../support/session/loop.ts"

const { finish } = loop()

const LONG = `${"L".repeat(MAX_HOOK_TEXT)}END`
const context = (hookEventName: string, additionalContext: string) => ({
  hookSpecificOutput: { hookEventName, additionalContext },
})
const pathIn = (text: string): string => /All of it is in: (\S+)/.exec(text)?.[1] ?? "no path"

it.each([
  ["UserPromptSubmit", 0, 0],
  ["PreToolUse", 1, -1],
  ["PostToolUse", 1, -1],
  ["PostToolBatch", 1, -1],
] as const)("a long context of %s is saved, and the model gets its beginning", async (event, request, message) => {
  const { sent, workspace } = await finish([{ content: [call("Glob", { pattern: "*" })] }, DONE], {
    [event]: context(event, LONG),
  })
  const text = textOf(sent()[request]?.at(message))
  expect(text).toContain(
    `${event === "PreToolUse" || event === "PostToolUse" ? `${event}:Glob` : event} hook additional context: <persisted-output>`,
  )
  expect(text).not.toContain("END")
  expect(text.length).toBeLessThan(5_000)
  expect(workspace.readText(pathIn(text))).toBe(LONG)
})

it("a context of the maximum length is sent whole, and each of several long ones has a file", async () => {
  const whole = "W".repeat(MAX_HOOK_TEXT)
  const { sent, workspace } = await finish([{ content: [call("Glob", { pattern: "*" })] }, DONE], {
    PostToolUse: [context("PostToolUse", whole), context("PostToolUse", LONG), context("PostToolUse", `${LONG}2`)],
  })
  const text = textOf(sent()[1]?.at(-1))
  expect(text).toContain(whole)
  const files = [...text.matchAll(/All of it is in: (\S+)/g)].map(([, path]) => workspace.readText(path ?? ""))
  expect(files).toEqual([LONG, `${LONG}2`])
})

it("a long message to clients is saved too", async () => {
  const { events, workspace } = await finish([DONE], { Stop: { systemMessage: LONG } })
  const content = String(payloadsOf(events(), "sdk:system/informational")[0]?.["content"])
  expect(content).toMatch(/^Stop says: <persisted-output>/)
  expect(workspace.readText(pathIn(content))).toBe(LONG)
})

it("without room in the workspace, the model gets as much as the maximum", async () => {
  const options = { ...BYPASS, workspace_limits: { file_bytes: 1_000 } }
  const { sent } = await finish([DONE], { UserPromptSubmit: context("UserPromptSubmit", LONG) }, options)
  const text = textOf(sent()[0]?.[0])
  expect(text).toContain("(Cut here: 3 more characters, for which the workspace has no room.)")
  expect(text).not.toContain("END")
})
