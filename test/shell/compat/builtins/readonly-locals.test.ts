// Attributes of locals, through the Bash tool; the expected results were compared with bash 5.2.
import { describe, expect, it } from "vitest"
import { bashTool } from "../../../../src/tools/bash/bash.ts"
import { openContext, run } from "../../../tools/tool-context.ts"

const printed = async (command: string): Promise<string> =>
  String((await run(bashTool, { command }, openContext().context)).content)

describe("a local", () => {
  it.each([
    ["declare -i n=1; f() { local n=abc; echo $n; n=1+1; echo $n; }; f; echo $n; n=2+3; echo $n", "abc\n1+1\n1\n5"],
    ["declare -u n=a; f() { local n=def; echo $n; }; f; echo $n; n=b; echo $n", "def\nA\nB"],
    ["declare -i n; f() { local n=a+; g; echo $n; }; g() { local -i n=2+1; echo $n; }; f; n=1+2; echo $n", "3\na+\n3"],
  ])("does not have the attributes of a global of the same name: %s", async (command, output) => {
    expect(await printed(command)).toBe(output)
  })

  it("keeps an attribute when it is declared again", async () => {
    expect(await printed("f() { local -i n=1+1; local n=2; n=3+4; echo $n; }; f; n=1+1; echo $n")).toBe("7\n1+1")
  })
})
