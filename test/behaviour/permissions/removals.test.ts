// Removing a whole working directory is asked about however it is spelled; removing a part of it is not.
import { describe, expect, it } from "vitest"
import { decide } from "../../../src/permissions/decide.ts"
import { policyOf } from "../../../src/permissions/policy.ts"
import type { PermissionMode } from "../../../src/schemas/sdk/options/permissions.ts"
import { analyzeShell } from "../../../src/shell/syntax/analysis.ts"
import { withNames } from "../../../src/shell/syntax/links.ts"
import { bash } from "../../permissions/calls.ts"
import { callOnce } from "../../support/session/one-call.ts"
import { openWorkspace } from "../../workspace/sql-twin.ts"
import { EVERYTHING, BY_PATTERN, PARTS } from "./removals-table.ts"

const extraWorkspace = () => {
  const { workspace } = openWorkspace()
  for (const path of ["plain.txt", "sub/inner.txt", "sub/deep/file", "/data/extra/file", "/data/extra/old/file"])
    workspace.writeBytes(path.startsWith("/") ? path : `/workspace/${path}`, "text\n")
  workspace.mkdir("/workspace/sub/empty")
  workspace.symlink(".", "/workspace/here")
  workspace.symlink("..", "/workspace/up")
  return workspace
}

const call = async (command: string, permissionMode: PermissionMode, cwd = "/workspace") => {
  const workspace = extraWorkspace()
  const files = () => workspace.nodes.below("/").length
  const before = files()
  const policy = policyOf({ permissionMode, additionalDirectories: ["/data/extra/"] }, [])
  const { asked, text } = await callOnce({ workspace, policy: () => policy, cwd, answer: "deny" }, "Bash", { command })
  return { asked, text, changed: files() !== before }
}

describe(`${EVERYTHING.length} ways to remove everything`, () => {
  it.each(EVERYTHING)("%s", async (command) => {
    for (const mode of ["default", "acceptEdits", "plan"] as const)
      expect(await call(command, mode), mode).toMatchObject({ asked: true, changed: false })
    expect(await call(command, "dontAsk")).toMatchObject({ asked: false, changed: false })
  })

  it("asks about the directory of the conversation", async () => {
    for (const command of ["rm -rf /workspace/sub", "rm -rf ../sub", "mv ../sub x"])
      expect(await call(command, "acceptEdits", "/workspace/sub")).toMatchObject({ asked: true, changed: false })
  })
})

it.each([
  "rm -rf *",
  "rm -r .",
  "rm -rf ..",
  "rm -rf ~",
  "rm -rf /data/extra",
  "rmdir /data",
  "rm -rf here/*",
  "ls; rm *",
])("no mode, rule or hook permits %s", async (command) => {
  expect(await call(command, "bypassPermissions")).toMatchObject({ asked: true, changed: false })
  const policy = policyOf({ allowedTools: ["Bash", `Bash(${command})`], additionalDirectories: ["/data/extra"] }, [])
  const shell = withNames(analyzeShell(command, "/workspace"), extraWorkspace())
  const judged = { ...bash(command), shell }
  expect(decide(judged, policy, { behavior: "allow" })).toMatchObject({
    behavior: "ask",
    reason: { type: "safetyCheck" },
  })
})

describe(`${PARTS.length} ways to remove a part`, () => {
  it.each(PARTS)("%s", async (command) => {
    expect((await call(command, "acceptEdits")).asked).toBe(false)
    expect((await call(command, "default")).asked).toBe(true)
  })

  it.each(BY_PATTERN)("%s, which asks in acceptEdits too, and not in bypassPermissions", async (command) => {
    expect((await call(command, "acceptEdits")).asked).toBe(true)
    expect((await call(command, "bypassPermissions")).asked).toBe(false)
  })
})
