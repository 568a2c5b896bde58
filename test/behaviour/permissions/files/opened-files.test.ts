// Which files a script opens: an allow rule for a program opens files to that program, and not to the rest of its script.
import { describe, expect, it } from "vitest"
import { policyOf } from "../../../../src/permissions/policy.ts"
import type { PermissionMode } from "../../../../src/schemas/sdk/options/permissions.ts"
import { callOnce } from "../../../support/session/one-call.ts"
import { openWorkspace } from "../../../workspace/sql-twin.ts"

const SECRET = "what only that file contains"

const open = () => {
  const { workspace } = openWorkspace()
  workspace.writeBytes("/outside/f", `${SECRET}\n`)
  workspace.writeBytes("/workspace/plain.txt", "plain\n")
  workspace.writeBytes("/workspace/print.awk", '{ print > "/outside/g" }\n')
  workspace.mkdir("/workspace/sub")
  workspace.symlink("/outside", "/workspace/sub/l")
  return workspace
}

/** The result of the script, what it leaves outside of the session's directory, and whether it asked. */
const ran = async (allowedTools: ReadonlyArray<string>, permissionMode: PermissionMode, command: string) => {
  const workspace = open()
  const policy = policyOf({ permissionMode, allowedTools: [...allowedTools] }, [])
  const { text, asked } = await callOnce({ workspace, policy: () => policy, answer: "deny" }, "Bash", { command })
  const outside = workspace.nodes.below("/outside").map(([path]) => [path, workspace.readText(path)] as const)
  return { text, asked, outside: Object.fromEntries(outside) }
}

const UNCHANGED = { "/outside/f": `${SECRET}\n` }

describe("a script with a command that a rule allows", () => {
  it.each([
    [["Bash(ln:*)"], "ln -s /outside l; echo x > l/g"],
    [["Bash(ln:*)"], "ln -s /outside l && echo x >> l/f"],
    [["Bash(ln:*)"], "ln -s /outside l; touch l/g"],
    [["Bash(ln:*)"], "ln -s /outside l; rm l/f"],
    [["Bash(ln:*)"], "ln -s /outside l; cp plain.txt l/g"],
    [["Bash(ln:*)"], "ln -s /outside/f l; sed -i s/what/gone/ l"],
    [["Bash(ln:*)"], "ln -s /outside l; cat l/f"],
    [["Bash(ln:*)"], "ln -s /outside/f l; cat < l"],
    [["Bash(ln:*)"], "timeout 5 ln -s /outside/f l; timeout 5 cat l"],
    [["Bash(ln:*)", "Bash(cat:*)"], "ln -s /outside/f l; cat l"],
    [["Bash(ln:*)", "Bash(tee:*)"], "ln -s /outside l; echo x | tee l/g"],
    [["Bash(ln:*)"], "ln -s /outside l; awk_is=none; ls l/ | sort > l/g"],
    [["Bash(tar:*)"], "tar cf a.tar sub; mkdir x; tar xf a.tar -C x; echo x > x/sub/l/g"],
    [["Bash(ln:*)"], "ln -s sub s; echo x > s/l/g"],
    [["Bash(ln:*)"], "ln -s /outside a; ln -s a b; echo x > b/g"],
    [["Bash(ln:*)"], "ln -s ../outside l; mv l m; echo x > m/g"],
    [["Bash(awk:*)"], "cp -a sub copy; awk 1 plain.txt > copy/l/g"],
    [["Bash(export:*)"], "export A=1; cp -a sub copy; cat copy/l/f"],
    [["Bash(sh:*)"], "sh -c 'ln -s /outside l'; echo x > l/g"],
    [["Bash(xargs:*)"], "echo /outside l | xargs ln -s; echo x > l/g"],
    [["Bash(ln:*)"], "ln -s /outside l & echo x > l/g"],
    [["Bash(ln:*)", "Bash(sh:*)"], `ln -s /outside l; sh -c 'sh -c "sleep 0.05" & true'; echo x > l/g`],
  ])("%j: %s opens no other file to its other commands and redirections", async (rules, command) => {
    const { text, asked, outside } = await ran(rules, "acceptEdits", command)
    expect(outside).toEqual(UNCHANGED)
    expect(text).not.toContain(SECRET)
    if (!asked) expect(text).toMatch(/Permission denied|needs a permission/)
  })

  it.each([
    [["Bash(awk:*)"], "awk 1 /outside/f", SECRET],
    [["Bash(awk:*)"], "timeout 5 awk 1 /outside/f", SECRET],
    [["Bash(xargs:*)"], "echo /outside/f | xargs cat", SECRET],
    [["Bash(sh:*)"], "sh -c 'ln -s /outside l; cat l/f'; ls", SECRET],
    [["Bash(awk:*)", "Bash(tee:*)"], "awk 1 /outside/f | tee copy", SECRET],
    [["Bash"], "ln -s /outside l; cat l/f", SECRET],
  ])("%j: %s opens any file to the program of the rule", async (rules, command, expected) => {
    const { text, asked } = await ran(rules, "acceptEdits", command)
    expect([asked, text]).toEqual([false, expect.stringContaining(expected)])
  })

  it("what such a program writes elsewhere is committed, together with what the others write", async () => {
    const rules = ["Bash(awk:*)"]
    const { asked, outside, text } = await ran(
      rules,
      "acceptEdits",
      "awk -f print.awk plain.txt; echo x > new; cat new",
    )
    expect([asked, outside, text]).toEqual([
      false,
      { ...UNCHANGED, "/outside/g": "plain\n" },
      expect.stringContaining("x"),
    ])
  })
})
