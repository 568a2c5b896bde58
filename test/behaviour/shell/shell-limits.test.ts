import { describe, expect, it } from "vitest"
import { bashTool } from "../../../src/tools/bash/bash.ts"
import { openContext, run } from "../../tools/tool-context.ts"
import { cpuTime } from "../../support/values/cpu-time.ts"

const WORK = "the script did too much work for one call"

const LONG_LINE = "yes aaaaaaaaaaaaaaaaaaa | head -n 5000 | tr -d '\\n'"

/** A script that would never end, or fill the memory, and the limit that stops it. */
const ENDLESS: ReadonlyArray<readonly [script: string, limit: string | RegExp]> = [
  ["while :; do :; done", WORK],
  ["until false; do :; done", WORK],
  ["for ((;;)); do :; done", WORK],
  ["while :; do while :; do :; done; done", WORK],
  ["bash -c 'while :; do :; done'", WORK],
  ["awk 'BEGIN { while (1) {} }'", "maximum iterations"],
  ["awk 'BEGIN { for (;;) x = x 1 }'", "maximum iterations"],
  ["awk 'function f() { f() } BEGIN { f() }'", "recursion depth"],
  ["awk 'BEGIN { x = \"a\"; while (1) x = x x }'", "size limit"],
  ["echo x | sed ':a;ba'", "maximum iterations"],
  ["echo x | sed ':a;s/x/xx/;ta'", "maximum iterations"],
  ["jq -n 'repeat(1)'", "too many iterations"],
  ["jq -n '0 | until(false; . + 1)'", "too many iterations"],
  ["jq -n 'last(0 | while(true; . + 1))'", "too many iterations"],
  ["jq -n '[range(1e9)]'", "element limit"],
  ["jq -n '[recurse(. + 1)]'", "depth limit"],
  // Which of the two limits is met first depends on how far the engine has compiled jq.
  ["jq -n 'def f: f; f'", /the filter calls itself too deeply|query depth limit exceeded/],
  ["while :; do expr 1 + 1 > /dev/null; done", WORK],
  ["while :; do a+=(x); done", WORK],
  ["x=$(seq 1 100000); while :; do y=${x//1/22}; done", WORK],
  ["while :; do cat <<< x >> f; done", WORK],
  ["seq 1 100000 | xargs -n1 echo", WORK],
  ["while :; do echo /*/*/* > /dev/null; done", WORK],
  ["while :; do x=$(echo a); done", WORK],
  ["while :; do bash -c :; done", WORK],
  ['e=\'eval "$e"\'; eval "$e"', "too many commands"],
  ["f() { f; }; f", "maximum recursion depth"],
  ["f() { f | f; }; f", "maximum recursion depth"],
  [":() { :|:& }; :", "maximum recursion depth"],
  ["f() { echo $(f); }; f", "nesting limit"],
  ["echo '. ./s' > s; . ./s", "maximum nesting depth"],
  ["echo {1..100000000}", "result limit"],
  [`echo ${"{a,b}".repeat(20)}`, "result limit"],
  ["while :; do for i in {1..9999}; do break; done; done", WORK],
  ["seq 1 1000000000", "work limit"],
  ["for i in $(seq 1 1000000000); do :; done", "work limit"],
  ["while :; do xxd /usr/bin/cat; head -c 1000000 /dev/zero | hexdump -C; done", /limit|too much work/],
  ["while :; do (trap 'echo x' EXIT; false); done", WORK],
  ["trap 'false; f' ERR; f() { false; f; }; f", "maximum recursion depth"],
  ["x=a; while :; do x=$x$x; done", "length limit"],
  ["printf '%1000000000s' x", "width limit"],
  ["x=$(seq 1 99000); for i in {1..500}; do a=($x); done", WORK],
  ["x=$(seq 1 99000); for i in {1..500}; do set -- $x; done", WORK],
  ['x=$(seq 1 99000); for i in {1..500}; do wc -l <<< "$x"; done', WORK],
  // A pattern that reads to the end of the line for each of its matches.
  [`${LONG_LINE} | grep -oE 'a.*b|a'`, "work limit"],
  [`${LONG_LINE} | sed -E 's/a.*b|a/x/g'`, "work limit"],
  [`${LONG_LINE} | awk '{gsub(/a.*b|a/, "x"); print}'`, "maximum iterations"],
  [`${LONG_LINE} | awk '{print split($0, x, /a.*b|a/)}'`, "maximum iterations"],
  [`${LONG_LINE} | awk -F'a.*b|a' '{print NF}'`, "maximum iterations"],
  [`${LONG_LINE} | awk -v RS='a.*b|a' 'END {print NR}'`, "maximum iterations"],
  [`${LONG_LINE} | jq -R '[scan("a.*b|a")] | length'`, "too many iterations"],
]

describe("the limits of the shell", () => {
  it.each(ENDLESS)("stop %s", async (command, limit) => {
    const { context } = openContext()
    const outcome = await run(bashTool, { command }, context)
    expect(outcome.isError).toBe(true)
    expect(outcome.content).toMatch(/^Exit code [1-9]/)
    expect(outcome.content).toMatch(limit)
  })

  it("let scripts of some thousand commands end", async () => {
    const { context } = openContext()
    const many =
      "for i in $(seq 9000); do x=$i; done; echo $x; for i in {1..300}; do echo $i; done | sort -n | tail -n 1"
    expect((await run(bashTool, { command: many }, context)).content).toBe("9000\n300")
  })

  it("let a script print a thousand lines one by one", async () => {
    const { context } = openContext()
    const command = 'log() { echo "[$1]" >&2; }; for i in {1..1000}; do log $i; done 2> log.txt; wc -l < log.txt'
    expect((await run(bashTool, { command }, context)).content).toBe("1000")
  })

  it("end a comparison of files without a common order", async () => {
    const { context } = openContext()
    const command = "seq 1 40000 > a; seq 40000 -1 1 > b; diff a b | wc -l"
    expect((await run(bashTool, { command }, context)).content).toBe("80002")
  })

  it("end walks through directories that are very deep", async () => {
    const { context } = openContext()
    const deep = "a/".repeat(1500)
    const command = `mkdir -p ${deep}; touch ${deep}x; tree a | tail -n 1; diff -r a a; rm -r ${deep}; tree a | tail -n 1`
    const spent = cpuTime()
    expect((await run(bashTool, { command }, context)).content).toBe(
      "1499 directories, 1 file\n1498 directories, 0 files",
    )
    expect(spent()).toBeLessThan(20_000)
  })

  it("make find name what is too deep for it", async () => {
    const { context } = openContext()
    const deep = "a/".repeat(1002)
    const { content } = await run(bashTool, { command: `mkdir -p ${deep}; find a | wc -l; find a -name x` }, context)
    expect(content).toMatch(/^1001\nfind: 'a\/a.*\/a': what is below is more than 1000 directories deep/)
    const most = { command: `mkdir -p ${"a/".repeat(1001)}; find a | wc -l` }
    expect((await run(bashTool, most, openContext().context)).content).toBe("1001")
  })

  it("make yes end with an error, unless it is known how many lines are read", async () => {
    const { context } = openContext()
    expect((await run(bashTool, { command: "yes | head -n 200000 | wc -l" }, context)).content).toBe("200000")
    expect((await run(bashTool, { command: "yes | cat | wc -l" }, context)).content).toContain("yes: stopped after")
  })

  it.each([
    [`echo $((${"1".repeat(150)}a))`, "value too great for base"],
    ["yes '' | head -n 200000; echo x", "x"],
    ["echo x; yes '' | head -n 200000; echo x", "persisted-output"],
    [`printf '1.%0400000d1\\n' 0 0 > f; sort -n f | wc -c`, "800008"],
  ])("are not needed by %s", async (command, answer) => {
    const { context } = openContext()
    const spent = cpuTime()
    expect((await run(bashTool, { command }, context)).content).toContain(answer)
    expect(spent()).toBeLessThan(8_000)
  })

  it.each([
    ["grep -cE '^(a+)+$' f", "0"],
    ["grep -c '^\\(a*\\)*$' f", "0"],
    ["sed -E 's/^(a+)+$/x/' f | wc -c", "5002"],
    ["awk '/^(a+)+$/' f | wc -c", "0"],
    ["[[ $(cat f) =~ ^(a+)+$ ]]; echo $?", "1"],
    ["jq -R 'test(\"^(a+)+$\")' f", "false"],
  ])("are not needed by a pattern that would backtrack for ever: %s", async (command, answer) => {
    const { context, workspace } = openContext()
    workspace.writeBytes("/workspace/f", `${"a".repeat(5_000)}b\n`)
    const outcome = await run(bashTool, { command: `${command} || true` }, context)
    expect(outcome.content).toBe(answer)
  })
})

describe("a builtin's argument that the shell does not support", () => {
  it.each([
    ["declare -A m; let 'm[a,b]=1'", "let: not supported by this shell: a comma in a subscript"],
    ["mapfile -tu 3 a 3< f", "mapfile: -u: not supported by this shell"],
    ["trap : RETURN || echo refused", "trap: RETURN: not supported by this shell\nrefused"],
  ])("is named: %s", async (command, message) => {
    const { context, workspace } = openContext()
    workspace.writeBytes("/workspace/f", "a\n")
    const { content } = await run(bashTool, { command }, context)
    expect(content).toContain(message)
  })
})

describe("a form that the shell does not support", () => {
  it.each([
    ['a=(1 2); echo before; echo "${a[@]@K}"', "${a[@]@K}"],
    ['a=(1 2); echo before; echo "${a[@]@A}"', "${a[@]@A}"],
    ['echo before; echo "${x//[ab]/<&>}"', "& in the replacement of a pattern"],
    ['declare -A m; k=x; echo before; : "${m[$k]:=5}"', "${m[$k]=…}"],
    ['declare -A m; echo before; : "${m[k]:=5}"; echo "${m[k]}"', "${m[k]=…}"],
    ["shopt -s extglob; echo before; ls -d */!(*.csv)", "!(…) next to other patterns in a file name"],
    ["echo before; declare -Ai n; n[a]+=3", "declare -Ai"],
    ["f() { local -ua up=(ab); }; echo before; f", "declare -ua"],
    ['echo before; (echo "$BASH_SUBSHELL")', "$BASH_SUBSHELL"],
    ["declare -A m; echo before; echo $((m[$i,$j]=5))", "an assignment to an element with this key inside $((…))"],
  ])("is named before anything runs: %s", async (command, form) => {
    const { context } = openContext()
    const { content } = await run(bashTool, { command }, context)
    expect(content).toContain(`not supported by this shell: ${form}`)
    expect(content).not.toContain("before")
  })
})
