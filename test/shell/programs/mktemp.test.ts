// mktemp through the Bash tool; the expected results were compared with GNU mktemp 9.4.
import { describe, expect, it } from "vitest"
import { bashTool } from "../../../src/tools/bash/bash.ts"
import { openContext, run } from "../../tools/tool-context.ts"

describe("mktemp", () => {
  it.each([
    ["f=$(mktemp); stat -c '%F %a' $f; echo ${#f}", "regular empty file 600\n19"],
    ["d=$(mktemp -d); stat -c '%F %a' $d; dirname $d", "directory 700\n/tmp"],
    ["f=$(mktemp a.XXXX); test -f $f; echo $? ${#f}", "0 6"],
    ["f=$(mktemp --suffix=.txt); echo ${f##*.}", "txt"],
    ["f=$(mktemp -u); test -e $f; echo $?", "1"],
    ["f=$(mktemp -p . XXXXX); dirname $f", "."],
    ["mktemp abc", "Exit code 1\nmktemp: too few X's in template 'abc'"],
    [
      "mktemp no/x.XXX",
      "Exit code 1\nmktemp: failed to create file via template 'no/x.XXX': No such file or directory",
    ],
  ])("%s", async (command, output) => {
    const { context } = openContext()
    expect(String((await run(bashTool, { command }, context)).content)).toBe(output)
  })
})
