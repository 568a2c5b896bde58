// cut, head, tail, paste and xargs through the Bash tool; what each line gives was compared with Debian's coreutils.
import { describe, expect, it } from "vitest"
import { bashTool } from "../../../src/tools/bash/bash.ts"
import { openContext, run } from "../../tools/tool-context.ts"

const printed = async (command: string): Promise<string> =>
  String((await run(bashTool, { command }, openContext().context)).content)

describe("text programs", () => {
  it.each([
    ["printf 'a:b\\nno\\nd:e\\n' | cut -d: -f2 -s", "b\ne"],
    ["printf 'a:b:c' | cut -d: -f1,3 --output-delimiter=-", "a-c"],
    ["printf abcdef | head -c -2", "abcd"],
    ["seq 20 | tail +19", "19\n20"],
    ["printf '1\\n2\\n' > a; paste -d'\\n' a a", "1\n1\n2\n2"],
    ["printf 'x\\n' | xargs -i echo '{}y'", "xy"],
    ["head -c 5 /dev/zero | wc -c; head -c 16 /dev/urandom | wc -c", "5\n16"],
  ])("%s", async (command, output) => {
    expect(await printed(command)).toBe(output)
  })

  it("xargs refuses a quote that nothing closes", async () => {
    expect(await printed('printf "it\'s\\n" | xargs echo')).toContain("xargs: unmatched single quote")
  })
})
