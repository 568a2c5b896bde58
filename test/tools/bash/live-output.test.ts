// The output so far of a running script: only what it writes to its own stdout and stderr.
import { describe, expect, it } from "vitest"
import { bashTool } from "../../../src/tools/bash/bash.ts"
import type { Printed } from "../../../src/tools/context-parts.ts"
import { openContext, run } from "../tool-context.ts"

const shown = async (command: string) => {
  const all: Array<Printed> = []
  const { context } = openContext()
  const outcome = await run(bashTool, { command }, { ...context, showPrinted: (one) => void all.push(one) })
  return { all, outcome }
}

/** Long enough for the earlier output to be shown. */
const WAIT = "sleep 0.7"

const SCRIPTS: ReadonlyArray<readonly [script: string, output: string]> = [
  [`echo one; ${WAIT}; echo two`, "one\n"],
  [`for n in 1 2; do echo $n; done; ${WAIT}`, "1\n2\n"],
  [`for n in 1 2; do echo $n; ${WAIT}; done`, "1\n2\n"],
  [`for n in $(echo a; echo b); do echo "<$n>"; done; ${WAIT}`, "<a>\n<b>\n"],
  [`i=0; while [ $i -lt 2 ]; do i=$((i+1)); echo w$i; done; ${WAIT}`, "w1\nw2\n"],
  [`if echo asked; then echo yes; ${WAIT}; fi`, "asked\nyes\n"],
  [`case x in x) echo in; ${WAIT};; esac`, "in\n"],
  [`{ echo group; ${WAIT}; }; echo after`, "group\n"],
  [`(echo inner; ${WAIT}); echo after`, "inner\n"],
  [`echo out; echo err >&2; ${WAIT}`, "out\nerr\n"],
  [`f() { echo called; }; f; ${WAIT}`, "called\n"],
  [`echo left | tr a-z A-Z; ${WAIT}`, "LEFT\n"],
  [`x=$(echo hidden); echo "$x!"; ${WAIT}`, "hidden!\n"],
  [`printf 'a\\nb\\n' | while read l; do echo "-$l"; done; ${WAIT}`, "-a\n-b\n"],
  [`false || echo other && ${WAIT}`, "other\n"],
  [`eval 'echo evaluated'; sh -c 'echo child'; ${WAIT}`, "evaluated\nchild\n"],
]

const ELSEWHERE = [
  `{ echo file; ${WAIT}; } > /workspace/f`,
  `x=$(echo hidden; ${WAIT})`,
  `{ echo piped; ${WAIT}; } | cat > /dev/null`,
  `for n in 1; do echo $n; ${WAIT}; done >> /workspace/f`,
  `f() { echo kept; ${WAIT}; }; y=$(f)`,
  "echo quick; echo again",
]

describe("the output so far", () => {
  it("is what the script writes to its own output", async () => {
    const found = await Promise.all(SCRIPTS.map(async ([script]) => [script, (await shown(script)).all.at(-1)]))
    expect(found).toEqual(SCRIPTS.map(([script, output]) => [script, { output, truncated: false }]))
  })

  it("excludes redirected output, and everything of a script that does not wait", async () => {
    const found = await Promise.all(ELSEWHERE.map(async (script) => [script, (await shown(script)).all]))
    expect(found).toEqual(ELSEWHERE.map((script) => [script, []]))
  })

  it("grows with the script, and the outcome has all of it", async () => {
    const { all, outcome } = await shown(`for n in 1 2 3; do echo $n; ${WAIT}; done`)
    expect(all.map(({ output }) => output)).toEqual(["1\n", "1\n2\n", "1\n2\n3\n"])
    expect(outcome.content).toBe("1\n2\n3")
  })

  it("is truncated to its end if it is long", async () => {
    const { all } = await shown(`seq 1 10000; ${WAIT}`)
    expect(all.at(-1)?.truncated).toBe(true)
    expect(all.at(-1)?.output.length).toBeLessThanOrEqual(8192)
    expect(all.at(-1)?.output.endsWith("9999\n10000\n")).toBe(true)
  })
})
