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
    ["X=é; env | grep ^X; printenv X; export X; env | grep ^X; printenv X NONE", "Exit code 1\nX=é\né"],
    ["f() { local q=1; env | grep ^q; }; f; echo $?", "1"],
    ["X=1 env | grep ^X; X=2 printenv X; env -u X printenv X", "Exit code 1\nX=1\n2"],
    ["env | grep -E '^(IFS|OPTIND|SHELLOPTS|BASH|[^A-Z])'", "(The command printed no output.)"],
    ["X=1; env sh -c 'echo \"[$X]\"'; env Y=2 sh -c 'echo \"[$X$Y]\"'", "[]\n[2]"],
    ["printf 'a\\n' | od -c", "0000000   a  \\n\n0000002"],
    ["printf '\\n' | od -c", "0000000  \\n\n0000001"],
  ])("%s", async (command, output) => {
    const { context, workspace } = openContext()
    workspace.writeBytes("/workspace/f", "one\ntwo\n")
    expect(String((await run(bashTool, { command }, context)).content)).toBe(output)
  })
})
