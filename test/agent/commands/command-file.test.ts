// Files of `.claude/commands`: the command that each one defines, and the errors of files that define none.
import { describe, expect, it } from "vitest"
import { commandOfFile } from "../../../src/agent/commands/command-file.ts"

describe("a command file", () => {
  it("takes its name from its path, and everything else from its frontmatter", () => {
    const text = [
      "---",
      "description: Greets someone",
      "argument-hint: [name] [thing]",
      "allowed-tools: Bash(echo:*), Read",
      "model: haiku",
      "agent: general-purpose",
      "---",
      "Hello $1",
    ].join("\n")
    const made = commandOfFile("sub/more/greet.md", text)
    expect(made).toMatchObject({
      name: "sub:more:greet",
      description: "Greets someone (project)",
      argumentHint: "[name] [thing]",
      allowedTools: ["Bash(echo:*)", "Read"],
      model: "haiku",
      agent: "general-purpose",
      source: "workspace",
    })
  })

  it.each([
    ["Write, Bash(git add:*)", ["Write", "Bash(git add:*)"]],
    ["Write Bash(git add:*) Read", ["Write", "Bash(git add:*)", "Read"]],
    ["[Write, Read]", ["Write", "Read"]],
    ["\n  - Write\n  - Bash(git add:*)", ["Write", "Bash(git add:*)"]],
  ])("lists its allowed tools in any form: %j", (written, allowedTools) => {
    expect(commandOfFile("a.md", `---\nallowed-tools: ${written}\n---\ntext`)).toMatchObject({ allowedTools })
  })

  it("that is not for people answers them instead of running", () => {
    const made = commandOfFile("a.md", "---\nuser-invocable: false\nallowed-tools: Write\n---\ntext")
    expect(made).toEqual({
      name: "a",
      description: "",
      source: "workspace",
      hidden: true,
      body: { kind: "local", answer: expect.any(Function) },
    })
  })

  it("without frontmatter is described by its first line", () => {
    expect(commandOfFile("plain.md", "\nFirst line.\nSecond.")).toMatchObject({
      name: "plain",
      description: "First line. (project)",
    })
  })

  it.each([
    ["a name with white space", "a b.md", "text", /name/],
    ["a name with a colon", "a:b.md", "text", /name/],
    ["a line that is not a field", "a.md", "---\nnot a field\n---\ntext", /line/],
    ["no text", "a.md", "---\ndescription: x\n---\n\n", /no text/],
    ["nothing at all", "a.md", "", /no text/],
  ])("with %s is none", (_, path, text, issue) => {
    expect(commandOfFile(path, text)).toEqual({ issue: expect.stringMatching(issue) })
  })
})
