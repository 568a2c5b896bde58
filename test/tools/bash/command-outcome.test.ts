import { describe, expect, it } from "vitest"
import { bashTool } from "../../../src/tools/bash/bash.ts"
import { trimNewlines, withoutBlankStart } from "../../../src/tools/bash/command-outcome.ts"
import { openContext, runAndCommit } from "../tool-context.ts"

describe("an output", () => {
  it("of five million blank lines is shown without them", async () => {
    const { context } = openContext()
    const command = "head -c 5000000 /dev/zero | tr '\\0' '\\n'"
    expect((await runAndCommit(bashTool, { command: `${command}; echo end` }, context)).content).toBe("end")
    expect((await runAndCommit(bashTool, { command: `echo begin; ${command}` }, context)).content).toBe("begin")
    expect((await runAndCommit(bashTool, { command }, context)).content).toBe("(The command printed no output.)")
  })

  it.each([
    ["", ""],
    ["a\n", "a\n"],
    ["\na", "a"],
    [" \n\t\n  a\n\nb", "  a\n\nb"],
    ["\r\n\r\na", "a"],
    ["  a", "  a"],
    ["\n\n", ""],
    ["\n  ", "  "],
    ["  ", "  "],
  ])("%j begins with its first line that is not blank: %j", (text, shown) => {
    expect(withoutBlankStart(text)).toBe(shown)
  })

  it.each([
    ["", ""],
    ["\n\n", ""],
    ["a\n\nb\n\n", "a\n\nb"],
    ["a\n ", "a\n "],
    ["a\r\n", "a\r"],
  ])("%j ends before its last newlines: %j", (text, shown) => {
    expect(trimNewlines(text)).toBe(shown)
  })
})
