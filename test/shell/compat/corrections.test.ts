// Options of the shell's own programs through the Bash tool; the expected results were compared with GNU's.
import { describe, expect, it } from "vitest"
import { bashTool } from "../../../src/tools/bash/bash.ts"
import { openContext, run } from "../../tools/tool-context.ts"

describe("options of programs", () => {
  it.each([
    ["xargs -a f echo", "one two"],
    ["xargs -a nofile echo", "Exit code 1\nxargs: Cannot open input file 'nofile': No such file or directory"],
    ["echo abc | cut -b2", "b"],
    ["env -- echo a", "a"],
    ["env -i A=1 sh -c 'echo $A'", "1"],
    ["export X=1; env -i sh -c 'echo \"[$X]\"'", "[]"],
    ["printf 'a\\n' | od -c", "0000000   a  \\n\n0000002"],
    ["printf '\\n' | od -c", "0000000  \\n\n0000001"],
  ])("%s", async (command, output) => {
    const { context, workspace } = openContext()
    workspace.writeBytes("/workspace/f", "one\ntwo\n")
    expect(String((await run(bashTool, { command }, context)).content)).toBe(output)
  })
})
