// What a script removes is known before it runs, as far as the official SDK knows it.
import { expect, it } from "vitest"
import { decide } from "../../../src/permissions/decide.ts"
import { policyOf } from "../../../src/permissions/policy.ts"
import { analyzeShell } from "../../../src/shell/syntax/analysis.ts"
import { bash } from "../../permissions/calls.ts"
import { ASKED, RUN } from "./erasing-table.ts"

const bypass = policyOf({ permissionMode: "bypassPermissions" }, [])
const allowed = policyOf({ allowedTools: ["Bash"] }, [])

const outcome = (script: string, cwd = "/workspace", policy = bypass) =>
  decide({ ...bash(script), shell: analyzeShell(script, cwd, "/workspace") }, policy).behavior

it.each([
  ["asked about", "ask", ASKED],
  ["run", "allow", RUN],
] as const)("in bypassPermissions and under an allow rule, the recorded scripts are %s", (_, behavior, scripts) => {
  for (const policy of [bypass, allowed])
    expect(scripts.filter((script) => outcome(script, "/workspace", policy) !== behavior)).toEqual([])
})

it("a directory that an earlier command changed to is not removed without a question", () => {
  for (const script of ["rm -rf *", "rm -rf .", 'bash -c "rm -rf *"', "rm -rf ../sub", "rm -rf ../*", "rm -rf ~"])
    expect(outcome(script, "/workspace/sub"), script).toBe("ask")
  for (const script of ["rm -rf inner.txt", "rm -rf ../other", "rm -rf x/*"])
    expect(outcome(script, "/workspace/sub"), script).toBe("allow")
})

it("a script in a pipe is asked about without suggestions and as one of several commands", () => {
  const script = "rm -rf * | cat"
  const decision = decide({ ...bash(script), shell: analyzeShell(script, "/workspace") }, bypass)
  expect(decision).toMatchObject({ behavior: "ask", reason: { type: "subcommandResults" }, suggestions: null })
})

it("scripts inside scripts are read to a limited depth, beyond which any removal is asked about", () => {
  const nested = (script: string, depth: number): string =>
    depth === 0 ? script : `sh -c ${JSON.stringify(nested(script, depth - 1))}`
  expect([3, 10].map((depth) => outcome(nested("rm -rf *", depth)))).toEqual(["ask", "ask"])
  expect([3, 10].map((depth) => outcome(nested("rm -rf sub", depth)))).toEqual(["allow", "ask"])
  expect(outcome(nested("ls", 10))).toBe("allow")
})
