// The table of expansions: templates, arguments, and the prompts that they become.
import { describe, expect, it } from "vitest"
import { argumentsOf, fillTemplate, joinOutputs } from "../../../src/agent/commands/template.ts"

const expand = (template: string, args: string, output: (script: string) => string = (script) => `<${script}>`) => {
  const filled = fillTemplate(template, args)
  if ("fault" in filled) throw new Error(filled.fault)
  return joinOutputs(filled, filled.scripts.map(output))
}

describe("arguments", () => {
  it.each<[args: string, expected: ReadonlyArray<string>]>([
    ["", []],
    ["   ", []],
    ["one", ["one"]],
    ["one two  three", ["one", "two", "three"]],
    ["one\ttwo\nthree", ["one", "two", "three"]],
    ['"a b" c', ['"a b"', "c"]],
    ["'a b' c", ["'a b'", "c"]],
    ['"it\'s" \'say "x"\'', ['"it\'s"', "'say \"x\"'"]],
    ["[Image 1] rest", ["[Image 1]", "rest"]],
    ["[image  12]", ["[image  12]"]],
    ["[Image x]", ["[Image", "x]"]],
    ['a"b c"d', ["a", '"b c"', "d"]],
    ['""', ['""']],
    ['"open end', ["open", "end"]],
    ["it's here", ["it", "s", "here"]],
    ["--flag=1 /path/x.ts", ["--flag=1", "/path/x.ts"]],
    ["größe 日本", ["größe", "日本"]],
  ])("%j are %j", (args, expected) => {
    expect(argumentsOf(args)).toEqual(expected)
  })
})

describe("templates", () => {
  it.each<[template: string, args: string, expected: string]>([
    ["Hello", "", "Hello"],
    ["Hello", "ignored", "Hello"],
    ["Hello $1", "Bob", "Hello Bob"],
    ["Hello $1", "", "Hello"],
    ["$1 and $2", "a b", "a and b"],
    ["$2 before $1", "a b", "b before a"],
    ["[$3]", "a b", "[]"],
    ["$1$1", "x", "xx"],
    ["$10", "1 2 3 4 5 6 7 8 9 ten", "ten"],
    ["$10", "1", ""],
    ["$0", "a", ""],
    ["$01", "a", "a"],
    ["all: $ARGUMENTS", 'a "b c"', 'all: a "b c"'],
    ["all: [$ARGUMENTS]", "", "all: []"],
    ["$ARGUMENTS$ARGUMENTS", "x", "xx"],
    ["$1", '"a b" c', '"a b"'],
    ["$1", "[Image 1] x", "[Image 1]"],
    ["$arguments $x $", "a", "$arguments $x $"],
    ["costs $5", "", "costs"],
    ["  \n Hello $1 \n ", "x", "Hello x"],
    ["$1", "$2 second", "$2"],
    ["$1", "$ARGUMENTS", "$ARGUMENTS"],
    ["<$ARGUMENTS>", "$& $` $'", "<$& $` $'>"],
    ["a\n\n$1\n\nb", "x", "a\n\nx\n\nb"],
    ["!`ls`", "", "<ls>"],
    ["a !`one` b !`two` c", "", "a <one> b <two> c"],
    ["!`git log -n $1`", "5", "<git log -n 5>"],
    ["!`echo $ARGUMENTS`", "a b", "<echo a b>"],
    ["!`one``two`", "", "<one>`two`"],
    ["!``", "", "!``"],
    ["! `ls`", "", "! `ls`"],
    ["`ls`", "", "`ls`"],
    ["!`a\nb`", "", "<a\nb>"],
    ["$1", "!`rm`", "!`rm`"],
    ["", "x", ""],
  ])("%j with %j is %j", (template, args, expected) => {
    expect(expand(template, args)).toBe(expected)
  })

  it("inserts outputs without expanding them", () => {
    expect(expand("a !`x` b $1", "one", () => "$1 !`y` $&")).toBe("a $1 !`y` $& b one")
  })

  it("keeps each output in its position when another output is empty", () => {
    expect(expand("1!`a`2!`b`3", "", (script) => (script === "a" ? "" : "B"))).toBe("12B3")
  })
})

describe("arguments that a text references many times", () => {
  const args = `"${"a".repeat(100_000)}"`

  it.each(["$ARGUMENTS ", "$1 ", "!`echo $1` "])(
    "are refused when a text of many %j would be longer than a prompt",
    (named) => {
      expect(expand(named.repeat(10), args).length).toBeGreaterThan(1_000_000)
      expect(fillTemplate(named.repeat(8_000), args)).toEqual({
        fault: expect.stringContaining("longer than 2000000 characters"),
      })
    },
  )
})
