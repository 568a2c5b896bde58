// sed through the Bash tool; the expected results were compared with GNU sed 4.9.
import { describe, expect, it } from "vitest"
import { bashTool } from "../../../../src/tools/bash/bash.ts"
import { openContext, run } from "../../../tools/tool-context.ts"

const outputOf = async (command: string): Promise<string> => {
  const { context, workspace } = openContext()
  workspace.writeBytes("/workspace/f", "one\ntwo\nthree\n")
  workspace.writeBytes("/workspace/g", "one\nfour\n")
  return String((await run(bashTool, { command }, context)).content)
}

describe("sed replaces", () => {
  it.each([
    ["sed 's/./\\U&/' f", "One\nTwo\nThree"],
    ["sed -E 's/(\\w)(\\w*)/\\U\\1\\L\\2/g' <<< 'hello WORLD'", "Hello World"],
    ["sed -E 's/(\\w+) (\\w+)/\\U\\1\\E \\2/' <<< 'hello world'", "HELLO world"],
    ["sed -E 's/([A-Z])/_\\l\\1/g' <<< camelCaseName", "camel_case_name"],
    ["sed 's/.*/\\L\\u&/' <<< ABC", "Abc"],
    ["sed -z 's/one\\ntwo/X/' f", "X\nthree"],
    ["sed -n 's/one/1/w out' f; cat out", "1"],
    ["sed 's/x*/-/2g' <<< abxc", "a-b-c-"],
    ["sed 's/$HOME/x/' <<< 'a$HOME'", "ax"],
    ["sed 's|a\\|b|X|g' <<< 'a|b'", "X"],
    ["sed 's/é/e/' <<< café", "cafe"],
    ["printf a | sed p | od -c", "0000000   a  \\n   a\n0000003"],
  ])("%s", async (script, output) => {
    expect(await outputOf(script)).toBe(output)
  })
})

describe("sed selects lines and goes through its script", () => {
  it.each([
    ["sed '/ONE/Id' f", "two\nthree"],
    ["sed --expression='1d' f", "two\nthree"],
    ["sed -u '/two/,+1d' f", "one"],
    ["sed '0,/o/s//X/' f", "Xne\ntwo\nthree"],
    ["sed '2q3' f; echo $?", "one\ntwo\n3"],
    ["sed 'N;P;D' f", "one\ntwo\nthree"],
    ["sed '1,2c\\changed' f", "changed\nthree"],
    ["sed 's/a/b/;ta;s/$/ no/;:a;s/$/ end/' <<< $'a\\nc'", "b end\nc no end"],
    ["sed '/two/r g' f", "one\ntwo\none\nfour\nthree"],
    ["sed -i.bak 's/one/1/' f g; cat f g f.bak", "1\ntwo\nthree\n1\nfour\none\ntwo\nthree"],
    ["sed -i 2q f; cat f", "one\ntwo"],
  ])("%s", async (script, output) => {
    expect(await outputOf(script)).toBe(output)
  })
})

describe("sed reports", () => {
  it.each([
    [
      "sed 's/\\(a\\)\\1/x/' f",
      "Exit code 1\nsed: -e expression #1, char 12: invalid regular expression: '\\(a\\)\\1' (no back references)",
    ],
    ["sed 's/a/\\1/' f", "Exit code 1\nsed: -e expression #1, char 7: invalid reference \\1 on `s' command's RHS"],
    ["sed '/a' f", "Exit code 1\nsed: -e expression #1, char 2: unterminated address regex"],
    ["sed ':a;ba' f", "Exit code 1\nsed: the script exceeded the maximum iterations (is there an endless loop?)"],
    [
      "sed ':a;s/o/oo/;ta' f",
      "Exit code 1\nsed: the script exceeded the maximum iterations (is there an endless loop?)",
    ],
    ["sed p nofile", "Exit code 2\nsed: can't read nofile: No such file or directory"],
  ])("%s", async (script, output) => {
    expect(await outputOf(script)).toBe(output)
  })
})
