import { describe, expect, it } from "vitest"
import { editTool } from "../../../src/tools/files/edit.ts"
import { readTool } from "../../../src/tools/files/read.ts"
import { replaceText } from "../../../src/tools/files/replace-text.ts"
import { fails, openContext, runAndCommit } from "../tool-context.ts"

const replaced = (content: string, old_string: string, new_string: string, replace_all = false): string =>
  replaceText(content, { old_string, new_string, replace_all })

describe("a replacement", () => {
  it("is taken as it is, whatever signs it has", () => {
    expect(replaced("a b", "a", "$& $1 $$ $`")).toBe("$& $1 $$ $` b")
    expect(replaced("a.a", "a", "$&", true)).toBe("$&.$&")
  })

  it("finds typographic quotes by straight ones, and writes them", () => {
    expect(replaced("say “yes” now", '"yes"', '"no"')).toBe("say “no” now")
    expect(replaced("it’s ‘one’", "'one'", "'two' (it's 'three')")).toBe("it’s ‘two’ (it’s ‘three’)")
    expect(replaced("“a” b “a”", '"a"', '"c"', true)).toBe("“c” b “c”")
    expect(replaced("‘a’\r\nb\r\n", "'a'\nb", "'c'\nd")).toBe("‘c’\r\nd\r\n")
  })

  it("keeps straight quotes where the text has them", () => {
    expect(replaced('“a” "a"', '"a"', '"b"')).toBe('“a” "b"')
    expect(replaced("it’s “x”", "“x”", '"y"')).toBe('it’s "y"')
    expect(replaced("“x” = 'y'", "\"x\" = 'y'", "\"z\" = 'w'")).toBe("“z” = 'w'")
  })

  it("changes nothing where the same quotes are there in several forms", () => {
    expect(replaced("“a” ”a“", '"a"', '"b"', true)).toBe("“a” ”a“")
  })
})

describe("an edit with straight quotes of a text with others", () => {
  const opened = async (text: string) => {
    const { context, workspace, knownFiles } = openContext()
    workspace.writeBytes("/workspace/a.md", text)
    const call = async (input: object) => {
      const outcome = await runAndCommit(editTool, { file_path: "a.md", ...input }, context)
      knownFiles.learn(JSON.parse(JSON.stringify(outcome.output)), "/workspace")
      return outcome
    }
    knownFiles.learn((await runAndCommit(readTool, { file_path: "a.md" }, context)).output, "/workspace")
    return { call, context, workspace, knowledge: () => knownFiles.knowledge(workspace, "/workspace/a.md") }
  }

  it("names what was replaced, and leaves a file that the model knows", async () => {
    const { call, knowledge, workspace } = await opened("He said “yes” – it’s done.\n")
    const { output } = await call({ old_string: 'said "yes"', new_string: 'said "no"' })
    expect(output).toMatchObject({ oldString: "said “yes”", newString: "said “no”" })
    expect(workspace.readText("/workspace/a.md")).toBe("He said “no” – it’s done.\n")
    expect(knowledge()).toBe("whole")
  })

  it("is refused when it fits in several places", async () => {
    const { context } = await opened("“a” “a”\n")
    const input = { file_path: "a.md", old_string: '"a"', new_string: '"b"' }
    expect(await fails(editTool, input, context)).toMatchObject({ reason: "not_unique" })
  })
})
