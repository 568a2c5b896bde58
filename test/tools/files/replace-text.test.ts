import { describe, expect, it } from "vitest"
import { editTool } from "../../../src/tools/files/edit.ts"
import { readTool } from "../../../src/tools/files/read.ts"
import { replaceText } from "../../../src/tools/files/replace-text.ts"
import { fails, openContext, runAndCommit } from "../tool-context.ts"

const replaced = (content: string, old_string: string, new_string: string, replace_all = false): string =>
  replaceText(content, { old_string, new_string, replace_all })

describe("a replacement", () => {
  it("is inserted literally, whatever special characters it has", () => {
    expect(replaced("a b", "a", "$& $1 $$ $`")).toBe("$& $1 $$ $` b")
    expect(replaced("a.a", "a", "$&", true)).toBe("$&.$&")
  })

  it("matches typographic quotes with straight ones, and writes typographic ones", () => {
    expect(replaced("say “yes” now", '"yes"', '"no"')).toBe("say “no” now")
    expect(replaced("it’s ‘one’", "'one'", "'two' (it's 'three')")).toBe("it’s ‘two’ (it’s ‘three’)")
    expect(replaced("“a” b “a”", '"a"', '"c"', true)).toBe("“c” b “c”")
    expect(replaced("‘a’\r\nb\r\n", "'a'\nb", "'c'\nd")).toBe("‘c’\r\nd\r\n")
  })

  it("keeps straight quotes if the text has them", () => {
    expect(replaced('“a” "a"', '"a"', '"b"')).toBe('“a” "b"')
    expect(replaced("it’s “x”", "“x”", '"y"')).toBe('it’s "y"')
    expect(replaced("“x” = 'y'", "\"x\" = 'y'", "\"z\" = 'w'")).toBe("“z” = 'w'")
  })

  it("changes nothing if the text has the same quotes in several forms", () => {
    expect(replaced("“a” ”a“", '"a"', '"b"', true)).toBe("“a” ”a“")
  })
})

describe("an edit with straight quotes of a text with typographic ones", () => {
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

  it("reports what was replaced, and leaves the file known to the model", async () => {
    const { call, knowledge, workspace } = await opened("He said “yes” – it’s done.\n")
    const { output } = await call({ old_string: 'said "yes"', new_string: 'said "no"' })
    expect(output).toMatchObject({ oldString: "said “yes”", newString: "said “no”" })
    expect(workspace.readText("/workspace/a.md")).toBe("He said “no” – it’s done.\n")
    expect(knowledge()).toBe("whole")
  })

  it("is rejected when it matches in several positions", async () => {
    const { context } = await opened("“a” “a”\n")
    const input = { file_path: "a.md", old_string: '"a"', new_string: '"b"' }
    expect(await fails(editTool, input, context)).toMatchObject({ reason: "not_unique" })
  })
})
