import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { bashTool } from "../../../src/tools/bash/bash.ts"
import type { FileRules } from "../../../src/workspace/file-rules.ts"
import { openContext, run, runAndCommit } from "../../tools/tool-context.ts"

const say = async (command: string): Promise<string> => {
  const { context } = openContext()
  return String((await run(bashTool, { command }, context)).content)
}

describe("trap", () => {
  it.each([
    ["x=1; trap 'echo end $x' EXIT; x=2; echo begin", "begin\nend 2"],
    ['x=1; clean() { echo "end $x $?"; }; trap clean EXIT; x=2; exit 3', "Exit code 3\nend 2 3"],
    ["set -e; trap 'echo end $?' EXIT; false; echo never", "Exit code 1\nend 1"],
    ["trap 'exit 4' EXIT; false || exit 0", "Exit code 4"],
    ["trap 'echo end' EXIT; false; exit $?", "Exit code 1\nend"],
    ["trap 'echo end' EXIT; trap - EXIT; echo kept", "kept"],
    ["trap '' INT; trap \"echo 'a'\" EXIT; trap -p EXIT", "trap -- 'echo '\\''a'\\''' EXIT\na"],
    ["trap x NOWHERE", "Exit code 1\nbash: trap: NOWHERE: invalid signal specification"],
  ])("gives for %s what bash gives", async (script, output) => {
    expect(await say(script)).toBe(output)
  })

  it("tidies up files at the end", async () => {
    const { context, workspace } = openContext()
    const command = "t=/workspace/scratch; trap 'rm -r \"$t\"' EXIT; mkdir $t; echo x > $t/f; cp $t/f kept"
    await runAndCommit(bashTool, { command }, context)
    expect(workspace.readdir("/workspace")).toEqual([{ name: "kept", type: "file" }])
  })
})

it("help prints a builtin's usage and one sentence, whatever the builtin", async () => {
  expect(await say("help cd")).toBe("cd: cd [-L|-P] [dir]\nChange the shell working directory.")
  const names = (await say("help -s '*'")).split("\n").map((line) => line.slice(0, line.indexOf(": ")))
  expect(names).toEqual(expect.arrayContaining([".", "[", "declare", "printf", "read", "trap", "wait"]))
  // The third line of a synonym names the other one.
  const linesOf = (name: string) => (name === "readarray" || name === "typeset" ? "3" : "2")
  for (const name of names) expect([name, await say(`help -- '${name}' | wc -l`)]).toEqual([name, linesOf(name)])
})

describe("a substitution in a sum", () => {
  it.each([
    ["f() { local x=5; echo $(( $(echo $x) + 1 )); }; f", "6"],
    ["set -- 7; y=2; echo $(( $(echo $1) * $y + `echo 1` ))", "15"],
    ["x=5; (( y = $(echo $x) + 1 )); echo $y", "6"],
    ["printf 'a\\nb\\n' > f; n=f; echo \"$(($(wc -l < $n) + 1)) lines\"", "3 lines"],
    ["if (( $(echo 3) > 2 )); then echo more; fi", "more"],
  ])("sees what the script sees: %s", async (script, output) => {
    expect(await say(script)).toBe(output)
  })
})

describe("export -f", () => {
  it.each([
    ["f() { echo got $1; }; export -f f; echo a b | xargs -n1 bash -c 'f \"$0\"'", "got a\ngot b"],
    ["f() { :; }; bash -c f", "Exit code 127\nbash: f: command not found"],
    ["export -f nothing", "Exit code 1\nbash: export: nothing: not a function"],
  ])("hands functions to children: %s", async (script, output) => {
    expect(await say(script)).toContain(output)
  })
})

describe("exec", () => {
  it.each([
    ["exec echo in; echo no", "in"],
    ["exec -- echo in; echo no", "in"],
    ["exec false; echo no", "Exit code 1"],
    ["(exec echo in; echo no); echo out", "in\nout"],
    ["x=$(exec echo a; echo b); echo $x", "a"],
    ["f() { exec echo in; echo no; }; f; echo no", "in"],
    ["echo 'exec \"$@\"; echo no' > w.sh; sh w.sh echo a 'b c'; echo out", "a b c\nout"],
    ["exec echo in > f || echo no; echo no", "(The command printed no output.)"],
    ["exec 3> f; echo x >&3; exec 3>&-; cat f", "x"],
  ])("ends the shell whose place a program takes: %s", async (script, output) => {
    expect(await say(script)).toBe(output)
  })

  it("ends it also where there is no such program", async () => {
    expect(await say("exec nothing; echo no")).toMatch(/^Exit code 127\nbash: nothing: command not found\n\(/)
  })
})

describe("env", () => {
  it.each([
    ["env A=2 sh -c 'echo $A'", "2"],
    ["env A=\"it's\" B=3 sh -c 'echo \"$A $B $1\"' _ 'x y'", "it's 3 x y"],
    ["echo in | env A=1 cat", "in"],
    ["env A=1 printenv A; echo ${A-unset}", "1\nunset"],
    ["exec env A=1 sh -c 'echo $A'; echo no", "1"],
  ])("gives a program its variables: %s", async (script, output) => {
    expect(await say(script)).toBe(output)
  })
})

describe("grep --color", () => {
  it.each(["grep --color=never b f", "grep --color b f", "grep --colour=auto b f"])(
    "finds as without it: %s",
    async (script) => {
      expect(await say(`printf 'a\\nb\\n' > f; ${script}`)).toBe("b")
    },
  )
})

describe("rm -f", () => {
  const files: FileRules = {
    refusal: (use, names) => (use === "change" && names().includes("/workspace/d/kept") ? "kept is kept" : null),
  }

  it.each(["rm -f d/kept", "rm -rf d", "rm --force -- d/kept"])(
    "%s fails when a file is still there",
    async (command) => {
      const { context, workspace } = openContext()
      workspace.writeBytes("/workspace/d/kept", "x")
      const outcome = await run(bashTool, { command: `${command} && echo gone` }, { ...context, files })
      expect(outcome.content).toContain("Exit code 1\nrm: cannot remove 'd")
      expect(outcome.content).toContain("Permission denied")
      expect(outcome.content).not.toContain("gone")
    },
  )

  it("with -f prints no error for a missing file", async () => {
    expect(await say("touch f; rm -f f nothing; echo $?")).toBe("0")
  })
})

describe("bc", () => {
  it.each([
    ["1/3; scale=4; 1/3; -1/3; 10%3", "0\n.3333\n-.3333\n.0001"],
    ["2^100; 2^-1; -2^2; 2^3^2", "1267650600228229401496703205376\n0\n4\n512"],
    ["obase=16; 255; obase=2; 5", "FF\n101"],
    ["ibase=2; 1011", "11"],
    ["x=2; x*=1.5; x; x>2; sqrt(16)", "3.0\n1\n4"],
    ['"pi "; 3.14', "pi 3.14"],
    ["1/0", "(standard_in) 1: divide by zero"],
    ["9^999999999", "(standard_in) 1: number too large"],
    ["1 +", "(standard_in) 1: syntax error at the end"],
    [`${"(".repeat(5000)}1`, "(standard_in) 1: too deeply nested"],
  ])("computes %s", async (sum, output) => {
    expect(await say(`bc <<< '${sum}'`)).toBe(output)
  })

  it("agrees with whole numbers of any size", async () => {
    const number = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n })
    await fc.assert(
      fc.asyncProperty(number, number, async (left, right) => {
        const parts = [left + right, left - right, left * right, ...(right === 0n ? [] : [left / right, left % right])]
        const sums = ["+", "-", "*", ...(right === 0n ? [] : ["/", "%"])].map((sign) => `(${left})${sign}(${right})`)
        expect(await say(`bc <<< '${sums.join(";")}'`)).toBe(parts.join("\n"))
      }),
      { numRuns: 15 },
    )
  })
})

describe("tar", () => {
  const TREE = "mkdir -p d/e; echo hi > d/e/f; chmod 755 d/e/f; ln -s e/f d/l; "

  it("packs a tree and gives it back", async () => {
    const { context, workspace } = openContext()
    const command = `${TREE}tar -czf a.tgz d; rm -r d; tar xf a.tgz; mkdir o; tar -C o --strip-components=1 -xf a.tgz`
    await runAndCommit(bashTool, { command }, context)
    expect(workspace.readText("/workspace/d/l")).toBe("hi\n")
    expect(workspace.lstat("/workspace/d/e/f").mode & 0o777).toBe(0o755)
    expect(workspace.readText("/workspace/o/e/f")).toBe("hi\n")
  })

  it.each([
    [`${TREE}tar cf - d | tar tf -`, "d/\nd/e/\nd/e/f\nd/l"],
    [`${TREE}tar cf a.tar d; tar xOf a.tar d/e`, "hi"],
    [`${TREE}tar cf a.tar d; tar tf a.tar x`, "Exit code 2\ntar: x: Not found in archive"],
    ["tar xf nowhere", "Exit code 2\ntar: nowhere: Cannot open: No such file or directory"],
    ["echo no > a; tar xf a", "Exit code 2\ntar: a: This does not look like a tar archive"],
    ["tar cf a", "Exit code 2\ntar: Cowardly refusing to create an empty archive"],
    ["tar f a", "Exit code 2\ntar: You must specify one of the '-ctx' options"],
    ["mkdir d; echo x > f; cd d; tar cf ../a.tar ../f; tar xf ../a.tar", "tar: ../f: Member name contains '..'"],
  ])("answers %s", async (script, output) => {
    expect(await say(script)).toContain(output)
  })
})
