// Guarded paths and scripts that an allow rule covers: what a program writes is checked when it writes, and not only what the
// script names.
import { describe, expect, it } from "vitest"
import type { PermissionMode } from "../../../src/schemas/sdk/options/permissions.ts"
import { callTool } from "../../support/session/tool-calls.ts"

const FILES = { "ok.txt": "changed\n", ".git/config": "kept\n", "pkg/.npmrc": "kept\n", "pkg/index.js": "1\n" }

/** Scripts that write to `.git/config` in ways that only show when they run. */
const WRITES = [
  `awk '{ print > ".git/config" }' ok.txt`,
  `sed -n 'w .git/config' ok.txt`,
  "dd if=ok.txt of=.git/config",
  "cd $(dirname .git/config) && echo changed > config",
  `awk 'BEGIN { print "changed" | "tee .git/config" }'`,
  "ln -s .git g; awk '{ print > \"g/config\" }' ok.txt",
  "mkdir -p t/.GIT; awk '{ print > \"t/.GIT/config\" }' ok.txt; mv t/.GIT .git2; awk '{ print > \".GIT/config\" }' ok.txt",
]

const ran = (command: string, permissionMode: PermissionMode, answer?: "allow") =>
  callTool(
    "Bash",
    { command },
    {
      options: {
        permissionMode,
        allowDangerouslySkipPermissions: true,
        settings: { permissions: { allow: ["Bash", "Edit"] } },
      },
      files: FILES,
      ...(answer === undefined ? {} : { answer }),
    },
  )

describe("a guarded path in a script that an allow rule covers", () => {
  it("is not changed without an answer, whichever program writes it", async () => {
    for (const mode of ["default", "acceptEdits", "dontAsk"] as const)
      for (const command of WRITES) {
        const { workspace } = await ran(command, mode)
        const guarded = workspace
          .list("/workspace/", null, 100)
          .files.filter(({ path, type }) => type === "file" && /\/\.git/i.test(path))
          .map(({ path }) => `${path} ${workspace.readText(path)}`)
        expect([mode, command, ...guarded]).toEqual([mode, command, "/workspace/.git/config kept\n"])
      }
  })

  it("is changed in bypassPermissions", async () => {
    const { workspace } = await ran(WRITES[0] ?? "", "bypassPermissions")
    expect(workspace.readText("/workspace/.git/config")).toBe("changed\n")
  })

  it("is changed by a script that a person has allowed", async () => {
    const { workspace } = await ran("rm -r pkg; echo changed > .git/config", "default", "allow")
    expect(workspace.exists("/workspace/pkg")).toBe(false)
    expect(workspace.readText("/workspace/.git/config")).toBe("changed\n")
  })
})
