// The text of a command file with the arguments of a call. Results without "$1" are those that the official SDK was recorded with.
import { expect, it } from "vitest"
import { fillCommandFile } from "../../../src/agent/commands/file-template.ts"
import { TEXT_LIMIT } from "../../../src/schemas/api/prompt-size.ts"

const filled = (body: string, names: ReadonlyArray<string>, args: string): string => {
  const made = fillCommandFile(body, names, args)
  return "fault" in made ? made.fault : made.texts.join("<script>")
}

it.each<[body: string, names: ReadonlyArray<string>, args: string, text: string]>([
  ["1=$1 2=$2 all=$ARGUMENTS", [], '"a b" c', '1="a b" 2=c all="a b" c'],
  [
    "i0=$ARGUMENTS[0] i1=$ARGUMENTS[1] i2=$ARGUMENTS[2] ix=$ARGUMENTS[x]",
    [],
    '"a b" c',
    'i0=a b i1=c i2=$ARGUMENTS[2] ix="a b" c[x]',
  ],
  ["f=$first s=$second", ["first", "second"], "a b", "f=a s=b"],
  ["f=$first s=$second", ["first", "second"], "x", "f=x s="],
  ["only $b", ["a", "b"], "x", "only "],
  ["$ARG-1 $b \\$b \\$ARGUMENTS \\$1", ["ARG-1", "b"], "x", "x  $b $ARGUMENTS $1"],
  ["$firstly", ["first"], "a", "$firstly\n\nARGUMENTS: a"],
  ["$first", [], "a", "$first\n\nARGUMENTS: a"],
  ["1=$1 2=$2 all=$ARGUMENTS", [], "", "1=$1 2=$2 all="],
  ["2=$2 all=$ARGUMENTS", [], "a", "2=$2 all=a"],
  ["2=$2", [], "a", "2=$2\n\nARGUMENTS: a"],
  ["f=$first 1=$1", ["first"], "", "f= 1=$1"],
  ["none\n", [], "a b", "none\n\nARGUMENTS: a b"],
  ["none\n", [], "", "none\n"],
  ["$1 $x", ["x"], "$x $1", "$x $x"],
])("%j with the names %j and the arguments %j is %j", (body, names, args, text) => {
  expect(filled(body, names, args)).toBe(text)
})

it("arguments that make the text too long are rejected", () => {
  expect(filled("$1".repeat(20), [], "x".repeat(TEXT_LIMIT / 10))).toContain("longer than")
})
