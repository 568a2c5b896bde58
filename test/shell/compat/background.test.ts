// Commands with `&`, `kill` and `wait`, through the Bash tool; the expected results were compared with bash 5.2.
import { describe, expect, it } from "vitest"
import { bashTool } from "../../../src/tools/bash/bash.ts"
import { openContext, run } from "../../tools/tool-context.ts"

const printed = async (command: string): Promise<string> =>
  String((await run(bashTool, { command }, openContext().context)).content)

describe("a command in the background", () => {
  it.each([
    ["sleep 1000 & kill $!; echo k=$?; wait $!; echo w=$?", "k=0\nw=143"],
    ["sleep 1000 & p=$!; kill -9 $p; wait $p; echo $?; kill $p 2> e; echo $?", "137\n1"],
    ["sleep 1000 & kill %1; wait; echo done", "done"],
    ["sleep 1000 & kill -0 $! && echo alive; disown; echo end", "alive\nend"],
    ["set -e; sleep 5m & kill $!; wait $! || echo rc $?; echo end", "rc 143\nend"],
    ["(sleep 0.1; exit 3) & kill $!; wait $!; echo $?", "143"],
    ["(sleep 0.1; exit 3) & sleep 0.2; kill $! 2> e; echo $?; wait $!; echo $?", "1\n3"],
    ["sleep 0.1 & while kill -0 $! 2> e; do sleep 0.1; done; echo gone", "gone"],
    ["true & kill $! 2> e; wait $!; echo $?", "0"],
    ["sleep abc 2> e & wait $!; echo $?", "1"],
    ["timeout 0.1 bash -c 'sleep 1000 & wait'; echo $?", "124"],
  ])("is signalled while it would sleep: %s", async (command, output) => {
    expect(await printed(command)).toBe(output)
  })

  it.each([
    ["sleep 0.1 & sleep 0.02 & wait -n; echo $?; wait; wait -n; echo $?", "0\n127"],
    ["sleep 1000 & a=$!; (exit 4) & wait -n; echo $?; kill $a; wait -n; echo $?; wait -n; echo $?", "4\n143\n127"],
    ["(exit 5) & p=$!; wait $p; echo $?; wait $p; echo $?; wait; echo $?", "5\n5\n0"],
  ])("is awaited once by `wait -n`: %s", async (command, output) => {
    expect(await printed(command)).toBe(output)
  })
})
