// cp, mv, chmod, touch and mkdir through the Bash tool; the expected results were compared with Debian's coreutils.
import { describe, expect, it } from "vitest"
import { bashTool } from "../../../src/tools/bash/bash.ts"
import { openContext, run } from "../../tools/tool-context.ts"

const printed = async (command: string): Promise<string> =>
  String((await run(bashTool, { command }, openContext().context)).content)

describe("cp and mv", () => {
  it.each([
    [
      "echo 1 > a; cp a nope/x 2> e; echo $?; cat e; ls -d nope 2> e",
      "cannot create regular file 'nope/x': No such file",
    ],
    ["echo 1 > a; cp a nope/ 2> e; echo $?; cat e", "cannot create regular file 'nope/': Not a directory"],
    ["echo 1 > a; mv a nope/x 2> e; echo $?; cat e; cat a", "cannot move to 'nope/x': No such file"],
    ["echo 1 > a; cp a a c 2> e; echo $?; cat e", "target 'c': No such file or directory"],
  ])("put nothing into a directory that is not there: %s", async (command, message) => {
    const lines = await printed(command)
    expect(lines).toContain(message)
    expect(lines).not.toContain("Exit code 0")
  })

  it.each([
    ["mkdir d; echo 1 > a; cp -v a b; cp -f b c; cp -t d a b; mv -t d c; ls d", "'a' -> 'b'\na\nb\nc"],
    ["echo old > a; echo new > b; touch -d 2020-01-01 a; cp -u a b; cat b; cp -u b a; cat a", "new\nnew"],
    ["echo 1 > a; mv -T a b; cat b; cp -- b -c; cat ./-c", "1\n1"],
  ])("take the options of GNU's: %s", async (command, output) => {
    expect(await printed(command)).toBe(output)
  })
})

describe("modes and times", () => {
  it.each([
    ["touch f; chmod a+X f; stat -c %a f; chmod u+x f; chmod a+X f; stat -c %a f", "644\n755"],
    ["mkdir -p d/e; touch d/f; chmod 600 d/f; chmod 700 d/e; chmod -R u+rwX,go+rX d; stat -c %a d/f d/e", "644\n755"],
    [
      "mkdir -m 700 m; stat -c %a m; mkdir -pv n/o",
      "700\nmkdir: created directory 'n'\nmkdir: created directory 'n/o'",
    ],
    ["touch -t 202001020304.05 a; date -r a '+%F %T'", "2020-01-02 03:04:05"],
    ["touch -d 2021-05-06 a; touch -r a b; stat -c %Y b", "1620259200"],
    ["touch -d '2021-05-06 2 days ago' a; stat -c %Y a", "1620086400"],
    ["touch -d garbage q 2> e; echo $?; ls q 2>> e; cat e | head -1", "1\ntouch: invalid date format 'garbage'"],
  ])("%s", async (command, output) => {
    expect(await printed(command)).toBe(output)
  })
})
