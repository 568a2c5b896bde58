// Scripts that bash and sh read from their input, through the Bash tool; the expected results were compared with bash 5.2 and dash.
import { describe, expect, it } from "vitest"
import { bashTool } from "../../../../src/tools/bash/bash.ts"
import { openContext, run } from "../../../tools/tool-context.ts"

const printed = async (command: string): Promise<string> =>
  String((await run(bashTool, { command }, openContext().context)).content)

const here = (...lines: ReadonlyArray<string>): string => `bash <<'EOF' 2> e\n${lines.join("\n")}\nEOF\n`

describe("a script that bash reads from its input", () => {
  it.each([
    ["what follows the line of read", here("read x", "hello", 'echo "got $x"'), "got hello"],
    [
      "what follows the line of cat",
      here("echo start", "cat", "it's (data", "", "# end"),
      "start\nit's (data\n\n# end",
    ],
    [
      "the lines after a loop",
      here("for i in 1 2; do", "  read x", '  echo "$i:$x"', "done", "a", "b", "echo end"),
      "1:a\n2:b\nend",
    ],
    ["the lines after a line of several commands", here('echo a; read x; echo "x=$x"', "b", "echo c"), "a\nx=b\nc"],
    ["an empty line", here("read x", "", 'echo "[$x]"'), "[]"],
    ["the lines after a here-document", here("cat <<E", "doc", "E", "read x", "é", 'echo "$x"'), "doc\né"],
    ["nothing after the last line", here("echo a", "read x; echo $?"), "a\n1"],
  ])("leaves its commands %s", async (_, command, output) => {
    expect(await printed(command)).toBe(output)
  })

  it.each([
    ["printf 'echo a\\ncat > o\\nrest 1\\nrest 2\\n' > s; cat s | bash; cat o", "a\nrest 1\nrest 2"],
    ["printf 'echo $1\\nread x\\nq\\necho $x\\n' | bash -s one", "one\nq"],
    ["printf 'set -e\\nf() {\\n  false\\n}\\nread x\\ny\\nf\\necho no\\n' | bash; echo $?", "1"],
    ["printf 'trap \"echo bye\" EXIT\\ncat\\ndata\\n' | bash", "data\nbye"],
    ["printf 'echo a\\nexit 3\\necho b\\n' | bash; echo $?", "a\n3"],
    ["printf 'echo a\\nif true; then\\n' | bash 2> e; echo $?", "a\n2"],
    ["printf 'echo a\\nfi\\necho b\\n' | bash 2> e; echo $?", "a\n2"],
    ["printf 'cat <<E\\n1\\n2\\n3\\n4\\nE\\necho a\\nfi\\n' | bash 2> e; echo $?", "1\n2\n3\n4\na\n2"],
    ["printf 'if true; then\\n' | bash -n 2> e; echo $?", "2"],
    ["printf 'echo hi\\nls\\nsort e\\necho end\\n' > s; echo 1 > e; bash < s", "hi\ne\ns\n1\nend"],
    ["for i in 1 2; do echo 'echo $0' | bash; done", "bash\nbash"],
    ["bash < /dev/null; echo $?", "0"],
  ])("%s", async (command, output) => {
    expect(await printed(command)).toBe(output)
  })

  it("leaves nothing to the commands of sh, which reads its input in blocks", async () => {
    expect(await printed("printf 'cat\\nread x || echo none\\necho end\\n' | sh")).toBe("none\nend")
  })

  it("stops when it reads for too long", async () => {
    expect(await printed("yes 'read x' | head -n 20000 | bash; echo $?")).toContain("too much work")
  })
})
