// Bytes that printf writes, through the Bash tool; the expected results were compared with bash 5.2.
import { describe, expect, it } from "vitest"
import { bashTool } from "../../../../src/tools/bash/bash.ts"
import { openContext, run } from "../../../tools/tool-context.ts"

describe("printf writes bytes unchanged", () => {
  it.each([
    ["printf 'a\\xff\\xe9b' | od -An -tx1", " 61 ff e9 62"],
    ["printf '\\377\\0' > f; od -An -tu1 f", " 255   0"],
    ["printf 'a\\xff\\n' | sed s/a/x/ | od -An -tx1", " 78 ff 0a"],
    ["printf '\\x89PNG' | wc -c", "4"],
    ["printf 'é\\xc3\\xa9 %s\\n' ü", "éé ü"],
    ["x=$(printf '\\xc3\\xa9'); echo ${#x} $x", "1 é"],
    ["printf 'é\\xff' >&2", "é\ufffd"],
    ["printf 'é\\xff' > f; f() { cat f >&2; }; f; cat f >&2; { cat f >&2; } 2> g; wc -c < g", "é\ufffdé\ufffd3"],
    ["printf 'a\\xf0\\x9f\\x98 \\xe2\\x82\\xff'", "a\ufffd \ufffd\ufffd"],
    ["printf '\\\\xff %s\\n' '\\xff'", "\\xff \\xff"],
  ])("%s", async (command, output) => {
    expect(String((await run(bashTool, { command }, openContext().context)).content)).toBe(output)
  })
})
