// od through the Bash tool; the expected results were compared with GNU od 9.1.
import { describe, expect, it } from "vitest"
import { bashTool } from "../../../src/tools/bash/bash.ts"
import { openContext, run } from "../../tools/tool-context.ts"

const printed = async (command: string): Promise<string> =>
  String((await run(bashTool, { command }, openContext().context)).content)

describe("od", () => {
  it.each([
    ["printf abcd | od -x", "0000000 6261 6463\n0000004"],
    ["printf abc | od", "0000000 061141 000143\n0000003"],
    ["printf abcd | od -An -tx4", " 64636261"],
    ["printf abc | od -An -t u1", "  97  98  99"],
    ["printf 'ab' | od -t d1", "0000000   97   98\n0000002"],
    ["printf 'abc\\n' | od -c", "0000000   a   b   c  \\n\n0000004"],
    ["printf abc | od -j1 -An -c", "   b   c"],
    ["printf abcdef | od -N2 -An -tx1", " 61 62"],
    ["printf '%040d' 0 | od -c -A d | tail -2", "0000032   0   0   0   0   0   0   0   0\n0000040"],
    ["head -c 48 /dev/zero | od -tx1 -w8 | sed -n 2p", "*"],
    ["trap 'echo bye' EXIT; exec echo replaced", "replaced"],
  ])("%s", async (command, output) => {
    expect(await printed(command)).toBe(output)
  })

  it("rejects several types at once", async () => {
    expect(await printed("printf a | od -c -x")).toContain("od: this od shows one type at a time")
  })
})
