// grep through the Bash tool; the expected results were compared with GNU grep 3.11.
import { describe, expect, it } from "vitest"
import { bashTool } from "../../../src/tools/bash/bash.ts"
import { openContext, run } from "../../tools/tool-context.ts"

const FILES = {
  f: "one\ntwo\nthree\n",
  g: "one\nfour\n",
  "dir/a.txt": "one\n",
  "dir/sub/b.md": "none\none two\n",
  "src/x.ts": "let x = 1\n",
}

const outputOf = async (command: string): Promise<string> => {
  const { context, workspace } = openContext()
  for (const [name, text] of Object.entries(FILES)) workspace.writeBytes(`/workspace/${name}`, text)
  return String((await run(bashTool, { command }, context)).content)
}

describe("grep in folders", () => {
  it.each([
    ["grep -rn one", "dir/a.txt:1:one\ndir/sub/b.md:1:none\ndir/sub/b.md:2:one two\nf:1:one\ng:1:one"],
    ["grep -rl two .", "./dir/sub/b.md\n./f"],
    ["grep -rc one dir/", "dir/a.txt:1\ndir/sub/b.md:2"],
    ["grep -rn --include='*.ts' x .", "./src/x.ts:1:let x = 1"],
    ["grep -rn --exclude-dir=dir --exclude=g one .", "./f:1:one"],
    ["grep -r one f", "one"],
    ["grep -rh two dir", "one two"],
    ["grep -rIl one dir", "dir/a.txt\ndir/sub/b.md"],
    ["ln -s /workspace/f dir/l; grep -rl three dir; grep -Rl three dir", "dir/l"],
    ["grep one dir", "Exit code 2\ngrep: dir: Is a directory"],
  ])("%s", async (script, output) => {
    expect(await outputOf(script)).toBe(output)
  })
})

describe("grep prints", () => {
  it.each([
    ["grep -H one f", "f:one"],
    ["grep --with-filename -n two f", "f:2:two"],
    ["echo abc | grep -H --label=in b", "in:abc"],
    ["grep -bo two f", "4:two"],
    ["grep -bo x <<< éx", "2:x"],
    ["grep -lZ one f g | tr '\\0' '|'", "f|g|"],
    ["grep -Pzo 'one\\ntwo' f | tr '\\0' '\\n'", "one\ntwo"],
    ["grep -B1 -A1 -n two f", "1-one\n2:two\n3-three"],
    ["grep -1 four f g", "g-one\ng:four"],
    ["printf 'a\\0b\\n' > bin; grep a bin; grep -a -c a bin", "grep: bin: binary file matches\n1"],
    ["grep -L two f g; echo $?", "g\n0"],
    ["grep -oE 'a|ab' <<< abab", "ab\nab"],
    ["grep -s one nofile f; echo $?", "f:one\n2"],
  ])("%s", async (script, output) => {
    expect(await outputOf(script)).toBe(output)
  })
})

describe("grep reads patterns", () => {
  it.each([
    ["grep -oP '(?<=t)wo' f", "wo"],
    ['grep -oP \'"v": "\\K[^"]+(?=")\' <<< \'{"v": "1.2"}\'', "1.2"],
    ["grep '\\<one\\>' g", "one"],
    ["grep '[^]x]ne' g", "one"],
    ["grep -w foo <<< foo_bar; echo $?", "1"],
    ["grep -xF one f", "one"],
    ["echo 'a+b' | grep 'a+b'", "a+b"],
    ["grep '(a' <<< '(a'", "(a"],
    ["grep -E '(a' f", "Exit code 2\ngrep: invalid regular expression: '(a'"],
    [
      "grep '\\(a\\)\\1' f",
      "Exit code 2\ngrep: invalid regular expression: '\\(a\\)\\1' (this grep has no back references, and lookaround only at the ends)",
    ],
    ["grep -K x f", "Exit code 2\ngrep: invalid option -- 'K'"],
  ])("%s", async (script, output) => {
    expect(await outputOf(script)).toBe(output)
  })
})
