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

  it.each([
    ["(sleep 0.05; echo late) & echo early; wait; echo end", "early\nlate\nend"],
    ["sleep 1000 & echo started; kill $!; wait $!; echo $?", "started\n143"],
    ["(sleep 0.05; touch ready) & while ! test -f ready; do sleep 0.01; done; echo found", "found"],
    ["(while ! test -f go; do sleep 0.01; done; echo went) & echo main; touch go; wait", "main\nwent"],
    ["(echo start; sleep 0.05; echo end) & echo main; wait", "start\nmain\nend"],
    ["(sleep 0.05; echo late) & echo early", "early\nlate"],
    ["echo 'sleep 0.05; echo w; exit 4' > w.sh; bash w.sh & echo main; wait $!; echo $?", "main\nw\n4"],
    [
      "(until test -f a; do sleep 0.01; done; echo 2) & (sleep 0.01; echo 1) & jobs -p | wc -l; wait -n; echo n; touch a; wait",
      "2\n1\nn\n2",
    ],
    ["x=1; (sleep 0.05; echo $x; x=2; cd /) & x=3; cd ..; cd -; wait; echo $x", "/workspace\n1\n3"],
    ["( (sleep 0.05; echo 3) & echo 1 ) & echo 2", "1\n2\n3"],
    ["(sleep 0.05; echo 1; (sleep 0.05; echo 3) & echo 2; wait; echo 4) & wait; echo 5", "1\n2\n3\n4\n5"],
  ])("and its script run in turns: %s", async (command, output) => {
    expect(await printed(command)).toBe(output)
  })

  it.each([
    ["(sleep 0.05; echo in) & x=$( (sleep 0.1; echo sub) & echo first ); wait; echo [$x]", "in\n[first sub]"],
    ["{ (sleep 0.05; echo in) & echo out; } > f; echo next; cat f", "next\nout\nin"],
    ["{ (sleep 0.05; echo b) & echo a; } | tr a-z A-Z; echo end", "A\nB\nend"],
    ["for i in 1 2; do { sleep 0.05; echo $i; } & done > f; wait; cat f", "1\n2"],
    [
      "while :; do echo tick; sleep 0.01; done > log & until grep -q tick log; do sleep 0.01; done; kill $!; wait $!; echo $?",
      "143",
    ],
    [
      "echo 'echo up >&2; while :; do sleep 0.01; done' > s; bash s > o 2>&1 & until grep up o; do sleep 0.01; done; kill $!",
      "up",
    ],
    ["(sleep 0.05; echo out; echo err >&2) > o 2> e & wait; cat e o", "err\nout"],
    ["exec 3>&1; (sleep 0.05; echo three >&3) > /dev/null & echo one; wait", "one\nthree"],
    ["(sleep 0.05; printf 'b\\xffc') > b & wait; od -An -tx1 b", " 62 ff 63"],
  ])("prints to the output that it was started with: %s", async (command, output) => {
    expect((await printed(command)).trimEnd()).toBe(output.trimEnd())
  })

  it.each([
    ["(trap 'echo bye; exit 3' TERM; while :; do sleep 0.01; done) & sleep 0.02; kill $!; wait $!; echo $?", "bye\n3"],
    ["(trap 'echo gone' EXIT; sleep 1000; echo no) & kill $!; wait $!; echo $?", "gone\n143"],
    ["while :; do x=$(sleep 0.02; echo y); done & sleep 0.05; kill $!; wait $!; echo $?", "143"],
    ["while :; do sleep 0.02 | cat; done & sleep 0.05; kill -9 $!; wait $!; echo $?", "137"],
    ["trap 'kill $(jobs -p); echo end' EXIT; while :; do sleep 0.01; done & echo main", "main\nend"],
    ["trap 'echo got; exit' USR1; (sleep 0.02; kill -USR1 $$) & while :; do sleep 0.01; done", "got"],
  ])("handles a signal: %s", async (command, output) => {
    expect(await printed(command)).toBe(output)
  })

  it.each([
    "while :; do sleep 0.01; done & touch f; wait",
    "timeout 1000 sleep 1000 & wait",
    "timeout 1000 bash -c 'sleep 1000; sleep 1000' & echo",
    "(sleep 1000; echo) & x=$(sleep 1000 & wait)",
  ])("ends when its script is interrupted: %s", async (command) => {
    const { context } = openContext()
    const stop = new AbortController()
    const ran = run(bashTool, { command }, { ...context, signal: stop.signal })
    setTimeout(() => stop.abort(), 50)
    await expect(ran).rejects.toMatchObject({ reason: "aborted" })
  })
})
