// sed in the forms that scripts use to edit files, through the Bash tool; what each gives was compared with GNU sed.
import { describe, expect, it } from "vitest"
import { bashTool } from "../../../src/tools/bash/bash.ts"
import { openContext, run, runAndCommit } from "../../tools/tool-context.ts"

const say = async (command: string): Promise<string> => {
  const { context, workspace } = openContext()
  workspace.writeBytes("/workspace/f", "one\ntwo [x]\na/b\n")
  return String((await run(bashTool, { command }, context)).content)
}

describe("sed adds, inserts and changes lines", () => {
  it.each([
    ["sed '1i\\zero' f", "zero\none\ntwo [x]\na/b"],
    ["sed '$a\\last' f", "one\ntwo [x]\na/b\nlast"],
    ["sed '/two/c\\2' f", "one\n2\na/b"],
    ["sed '1a\\    indented' f", "one\n    indented\ntwo [x]\na/b"],
    ["sed '1i\\#!/bin/sh\\nset -e' f | head -2", "#!/bin/sh\nset -e"],
    ["sed '$a\\' f", "one\ntwo [x]\na/b"],
    ["printf a | sed '$a\\' | wc -l", "1"],
    ["sed '/[/]/a\\after;a' f", "one\ntwo [x]\na/b\nafter;a"],
    ["sed -e '/two/{' -e 'i\\before' -e '}' f", "one\nbefore\ntwo [x]\na/b"],
    ["sed -e '1i\\' -e 'zero' f | head -1", "zero"],
    ["sed '1a\\\nclassic\\\nform' f", "one\nclassic\nform\ntwo [x]\na/b"],
    ["sed '1,2!a plain' f", "one\ntwo [x]\na/b\nplain"],
    ["sed 's/i\\x/-/; y/abc/xyz/' f", "one\ntwo [x]\nx/y"],
  ])("%s", async (script, output) => {
    expect(await say(script)).toBe(output)
  })

  it("writes the line and no backslash into the file", async () => {
    const { context, workspace } = openContext()
    workspace.writeBytes("/workspace/run.sh", "echo hi\n")
    await runAndCommit(bashTool, { command: "sed -i '1i\\#!/bin/sh' run.sh" }, context)
    expect(workspace.readText("/workspace/run.sh")).toBe("#!/bin/sh\necho hi\n")
  })

  it("ends the last line of a file with an empty text", async () => {
    const { context, workspace } = openContext()
    workspace.writeBytes("/workspace/open", "a")
    workspace.writeBytes("/workspace/ended", "a\n")
    await runAndCommit(bashTool, { command: "sed -i '$a\\' open ended" }, context)
    expect([workspace.readText("/workspace/open"), workspace.readText("/workspace/ended")]).toEqual(["a\n", "a\n"])
  })
})

describe("sed substitutes with backslashes", () => {
  it.each([
    [`sed 's/"/\\\\"/g' <<< 'say "hi"'`, 'say \\"hi\\"'],
    [`sed "s/'/'\\\\\\\\''/g" <<< "it's"`, "it'\\''s"],
    ["sed 's/one/a\\\\b/; 1q' f", "a\\b"],
    ["sed 's/one/\\\\&\\&/; 1q' f", "\\one&"],
    ["sed -E 's/(one)/\\\\\\1/; 1q' f", "\\one"],
    ["sed 's/one/\"\\\\n\"/; 1q' f", '"\\n"'],
    ["sed 's/\\\\/\\\\\\\\/g' <<< 'C:\\x'", "C:\\\\x"],
    ["sed 's/one/a\\nb/; 1q' f", "a\nb"],
  ])("%s", async (script, output) => {
    expect(await say(script)).toBe(output)
  })
})

describe("sed reads delimiters in brackets as characters", () => {
  it.each([
    ["sed 's/[/]/-/; $!d' f", "a-b"],
    ["sed 's/[&/\\]/\\\\&/g' <<< 'a/b&c\\d'", "a\\/b\\&c\\\\d"],
    ["sed 's/[]/[]/-/g; 2!d' f", "two -x-"],
    ["sed 's/[^[:alpha:]/]/-/g; $!d' f", "a/b"],
    ["sed '/[/]/d' f", "one\ntwo [x]"],
  ])("%s", async (script, output) => {
    expect(await say(script)).toBe(output)
  })
})
