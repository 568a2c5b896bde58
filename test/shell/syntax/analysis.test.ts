// The analysis of a script for permission rules, whatever its size or shape.
import { describe, expect, it } from "vitest"
import { analyzeShell } from "../../../src/shell/syntax/analysis.ts"

const steps = (script: string) => analyzeShell(script, "/workspace").steps
const hidden = (script: string) => steps(script).flatMap((step) => step.hidden)

describe("the steps of a script", () => {
  it("are listed in order, literally and without their redirections", () => {
    expect(steps("ls -l 'a b' > out; git  log|head").map((step) => step.text)).toEqual([
      "ls -l 'a b'",
      "git log",
      "head",
    ])
    expect(steps('echo $(pwd) "x $Y" \\z').map((step) => step.text)).toEqual(["pwd", 'echo $(…) "x $Y" \\z'])
  })

  it("report what is read, changed and redirected", () => {
    expect(steps("cp a b > c < d")).toMatchObject([
      {
        kind: "edit",
        paths: ["/workspace/a", "/workspace/b"],
        changes: ["/workspace/a", "/workspace/b"],
        from: ["/workspace/d"],
        to: ["/workspace/c"],
      },
    ])
    expect(steps("cat a")).toMatchObject([{ kind: "read", paths: ["/workspace/a"], changes: [] }])
    expect(steps("tee a")).toMatchObject([{ kind: "other", changes: ["/workspace/a"] }])
    expect(steps("{ ls; } > c")[0]).toMatchObject({ text: "", kind: "read", to: ["/workspace/c"] })
  })

  it("a script that does not parse is split into rough parts", () => {
    const { parsed, plain, steps: pieces } = analyzeShell("ls && rm 'x (", "/workspace")
    expect({ parsed, plain }).toEqual({ parsed: false, plain: false })
    expect(pieces.map((step) => step.text)).toContain("rm 'x")
  })
})

describe("the commands that a command may start", () => {
  it("are found after programs that run others, and in scripts that are arguments", () => {
    expect(hidden("sudo -u x rm a")).toContain("rm a")
    expect(hidden("sh -c 'ls; env rm a'")).toContain("rm a")
    expect(hidden("eval 'eval \"rm a\"'")).toContain("rm a")
    expect(hidden("/usr/bin/env rm a")).toContain("rm a")
  })

  it("include any word if scripts are nested too deeply or are too many", () => {
    const nested = Array.from({ length: 8 }).reduce<string>((inner) => `sh -c ${JSON.stringify(inner)}`, "rm a")
    expect(hidden(nested)).toContain("rm")
    const many = `sh ${Array.from({ length: 300 }, (_, index) => `'ls ${index}'`).join(" ")} 'rm a'`
    expect(hidden(many)).toContain("rm")
  })

  it("are found in a command of very many words", () => {
    const found = hidden(`xargs ${"a ".repeat(200_000)} rm b`)
    expect(found).toContain("rm")
  })
})
