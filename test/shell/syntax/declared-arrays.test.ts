// The analysis of a script whose arrays are declared: their commands are commands of the script.
import { describe, expect, it } from "vitest"
import { analyzeShell } from "../../../src/shell/syntax/analysis.ts"
import { onlyReads } from "../../../src/shell/syntax/commands.ts"
import { readScript } from "../../../src/shell/syntax/script.ts"

const commands = (script: string) => analyzeShell(script, "/workspace").steps.map((step) => step.text)

describe("the commands in the arrays of a declaration", () => {
  it.each([
    ["declare -a x=($(rm -rf a))", "rm -rf a"],
    ['f() { local x=(1 "$(rm -rf a)" 2); }; f', "rm -rf a"],
    ["readonly x=(`rm -rf a`)", "rm -rf a"],
    ['declare -A m=([k]="$(rm -rf a)")', "rm -rf a"],
    ["true && typeset x=(')' $(rm -rf a)) || false", "rm -rf a"],
    ["declare -a x=($(declare -a y=($(rm -rf a))))", "rm -rf a"],
    ["if true; then declare x=(\n  # a comment with )\n  $(rm -rf a)\n); fi", "rm -rf a"],
  ])("are commands of the script: %s", (script, command) => {
    expect(commands(script)).toContain(command)
    expect(onlyReads(readScript(script))).toBe(false)
  })

  it("are parsed in limited time", () => {
    const script = `declare x=('${"a".repeat(2000)}${")".repeat(20_000)}')`
    expect(commands(script).length).toBeGreaterThan(0)
  })
})
