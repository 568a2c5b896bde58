// Scripts that show files, as the official SDK judges them: an Edit of a file is accepted, or requires Read first.
import { describe, expect, it } from "vitest"
import { bashTool } from "../../../src/tools/bash/bash.ts"
import { editTool } from "../../../src/tools/files/edit.ts"
import { writeTool } from "../../../src/tools/files/write.ts"
import { fails, openContext, runAndCommit } from "../tool-context.ts"

const TEXT = "one\ntwo\nthree\n"

const opened = (content: string | Uint8Array = TEXT) => {
  const all = openContext()
  for (const name of ["f.txt", "g.txt", "a b.txt"]) all.workspace.writeBytes(`/workspace/${name}`, content)
  const bash = async (command: string) => {
    const outcome = await runAndCommit(bashTool, { command }, all.context)
    all.knownFiles.learn(JSON.parse(JSON.stringify(outcome.output)), "/workspace")
    return outcome
  }
  const knowledge = (name = "f.txt") => all.knownFiles.knowledge(all.workspace, `/workspace/${name}`)
  return { ...all, bash, knowledge }
}

describe("a script that shows a file", () => {
  it.each([
    ["cat f.txt", "whole"],
    ["cat ./f.txt", "whole"],
    ["cat /workspace/f.txt", "whole"],
    ["cat 'f.txt'", "whole"],
    ["cat -n f.txt", "whole"],
    ["nl f.txt", "whole"],
    ["head f.txt", "whole"],
    ["cat f.txt && echo x", "whole"],
    ["echo x; cat f.txt", "whole"],
    ["cat f.txt\necho y", "whole"],
    ["(cat f.txt)", "whole"],
    ["head -n 2 f.txt", "part"],
    ["head -1 f.txt", "part"],
    ["tail -n 1 f.txt", "part"],
    ["sed -n '1,2p' f.txt", "part"],
    ["sed -ne 2p f.txt", "part"],
    ["sed -n 1p f.txt && sed -n 2p f.txt", "part"],
    ["grep one f.txt", "part"],
    ["grep -n one f.txt", "part"],
    ["rg one f.txt", "part"],
  ])("as in %j makes it known: %s", async (script, expected) => {
    const { bash, knowledge } = opened()
    await bash(script)
    expect(knowledge()).toBe(expected)
    expect(knowledge("g.txt")).toBe("none")
  })

  it.each([
    "cat f.txt | head -1",
    "cat < f.txt",
    "cat f.txt > /dev/null",
    "cat f.txt g.txt",
    "cat *f.txt",
    'cat "$PWD/f.txt"',
    "cd src && cat ../f.txt",
    "cat f.txt &",
    "false && cat f.txt; true",
    "true || cat f.txt",
    "cat f.txt; exit 3",
    "cat -A f.txt",
    "wc f.txt",
    "sed s/one/ONE/ f.txt",
    "awk '{print}' f.txt",
    "grep zzz f.txt; true",
    "grep -c one f.txt",
    "grep -l one f.txt",
    "sort f.txt",
    "diff f.txt g.txt",
    "cat f.txt; touch new.txt",
  ])("as in %j does not", async (script) => {
    const { bash, knowledge, workspace } = opened()
    workspace.mkdir("/workspace/src")
    await bash(script)
    expect(knowledge()).toBe("none")
  })

  it("makes it editable, and a later change is noticed", async () => {
    const { bash, context, workspace } = opened()
    const edit = { file_path: "f.txt", old_string: "one", new_string: "1" }
    expect(await fails(editTool, edit, context)).toMatchObject({ message: expect.stringContaining("not been read") })
    await bash("sed -n 1p f.txt")
    await bash("cat 'a b.txt'")
    expect((await runAndCommit(editTool, edit, context)).output).toMatchObject({ contentNotInModelContext: true })
    const write = { file_path: "a b.txt", content: "x" }
    workspace.writeBytes("/workspace/a b.txt", "changed by a client\n")
    expect(await fails(writeTool, write, context)).toMatchObject({
      message: expect.stringContaining("has been changed"),
    })
  })

  it("in part does not take away what is known of it", async () => {
    const { bash, knowledge, workspace } = opened()
    await bash("cat f.txt")
    await bash("head -1 f.txt")
    expect(knowledge()).toBe("whole")
    workspace.writeBytes("/workspace/f.txt", "other\nlines\n")
    expect(knowledge()).toBe("stale")
    await bash("head -1 f.txt")
    expect(knowledge()).toBe("part")
  })

  it("is not one that is binary, blank, missing or too long to show", async () => {
    const long = `${"a line of text\n".repeat(5000)}`
    for (const content of [Uint8Array.of(0x61, 0xe9, 0x0a), " \n\n", long]) {
      const { bash, knowledge } = opened(content)
      await bash("cat f.txt")
      expect(knowledge()).toBe("none")
    }
    const { bash } = opened()
    expect((await bash("cat none.txt || true")).output).not.toHaveProperty("shownFiles")
  })
})
