// Words that the shell evaluates make a script unclear: it does not count as read-only, needs an ask, and is never repeated
// after a crash.
import { describe, expect, it } from "vitest"
import { decide } from "../../../src/permissions/decide.ts"
import type { PermissionMode } from "../../../src/schemas/sdk/options/permissions.ts"
import { bashTool } from "../../../src/tools/bash/bash.ts"
import { analyzeShell } from "../../../src/shell/syntax/analysis.ts"
import { withNetwork } from "../../../src/tools/bash/network.ts"
import { bash, policy, ruled } from "../../permissions/calls.ts"
import { EVALUATING, JOINED, ORDINARY } from "../../behaviour/shell/evaluation-table.ts"

const MODES: ReadonlyArray<PermissionMode> = ["default", "acceptEdits", "plan", "dontAsk"]

describe("a script whose words may be evaluated", () => {
  it(`is unclear in each of ${EVALUATING.length} forms`, () => {
    expect(EVALUATING.filter((script) => analyzeShell(script, "/workspace").plain)).toEqual([])
  })

  it("is allowed without an ask in no mode that asks", () => {
    const allowed = EVALUATING.flatMap((script) =>
      MODES.filter((mode) => decide(bash(script), policy(mode)).behavior === "allow").map((mode) => [mode, script]),
    )
    expect(allowed).toEqual([])
  })

  it("is not allowed by rules for its commands either, and writes no guarded path", () => {
    const names =
      "test [ printf let declare typeset local readonly export unset read mapfile readarray getopts wait".split(" ")
    const allow = [...names, "ls", "echo", "cat"].map((name) => `Bash(${name}:*)`)
    for (const script of EVALUATING) {
      for (const inside of [script, script.replaceAll("rm f", "echo x > .git/hooks/pre-commit")]) {
        for (const mode of MODES)
          expect([inside, decide(bash(inside), ruled({ allow }, mode)).behavior]).not.toEqual([inside, "allow"])
      }
    }
  })

  it("runs alone, and a crash does not repeat it if it could reach the network", () => {
    for (const command of EVALUATING) {
      const facts = [bashTool.readOnly({ command }), bashTool.edits({ command }), bashTool.concurrent?.({ command })]
      expect([command, ...facts]).toEqual([command, false, false, false])
      expect([command, withNetwork(bashTool).hasOutsideEffects({ command })]).toEqual([command, true])
    }
  })

  it("exposes the commands in its words to rules", () => {
    const hidden = EVALUATING.filter((script) => script.includes("'a[$(rm f)]'"))
    const unseen = hidden.filter(
      (script) => !analyzeShell(script, "/workspace").steps.some(({ text }) => text === "rm f"),
    )
    expect(hidden.length).toBeGreaterThan(20)
    expect(unseen).toEqual(["echo 'a[$(rm f)]'; test -v $_"])
  })
})

describe("a script that only reads", () => {
  it(`stays clear in each of ${ORDINARY.length} forms`, () => {
    expect(ORDINARY.filter((script) => !analyzeShell(script, "/workspace").plain)).toEqual([])
    expect(ORDINARY.filter((command) => !bashTool.readOnly({ command }))).toEqual([])
  })

  it("is parsed like the shell does, including blanks", () => {
    expect(JOINED.filter((command) => bashTool.readOnly({ command }))).toEqual([])
    for (const script of JOINED)
      expect(analyzeShell(script, "/workspace").steps.map(({ text }) => text.split(" ")[0])).toContain("sh")
  })
})
