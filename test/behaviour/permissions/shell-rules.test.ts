// Deny, ask and allow rules for commands, applied to every way to start one: the Bash tool with its permissions and its shell,
// in every mode, with every answer that a person may give.
import { describe, expect, it } from "vitest"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import type { PermissionMode } from "../../../src/schemas/sdk/options/permissions.ts"
import { bashTool } from "../../../src/tools/bash/bash.ts"
import { fill, filesFor, WAYS } from "../../support/values/started-commands.ts"
import { type Calling, callTool } from "../../support/session/tool-calls.ts"

type Rules = NonNullable<NonNullable<SessionOptions["settings"]>["permissions"]>

const MODES: ReadonlyArray<PermissionMode> = ["default", "acceptEdits", "plan", "dontAsk"]
const ALL_MODES: ReadonlyArray<PermissionMode> = [...MODES, "bypassPermissions"]

const ruled = (permissionMode: PermissionMode, permissions: Rules = {}): SessionOptions => ({
  permissionMode,
  allowDangerouslySkipPermissions: true,
  settings: { permissions },
})

const DENIED = { name: "rm", args: "f" }
const ASKED = { name: "cp", args: "f g" }
const SECRET = { name: "cat", args: ".env" }

const bash = (way: string, { name, args }: typeof DENIED, calling: Omit<Calling, "files">) => {
  const command = fill(way, name, args)
  return callTool("Bash", { command }, { ...calling, files: filesFor(name, args) })
}

/** The scripts of a table, in each mode, for which `check` finds an error. */
const wrong = async (
  modes: ReadonlyArray<PermissionMode>,
  check: (way: string, mode: PermissionMode) => Promise<boolean>,
): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  for (const mode of modes) for (const way of WAYS) if (await check(way, mode)) found.push(`${mode}: ${way}`)
  return found
}

describe(`${WAYS.length} scripts, each another way to start a command`, () => {
  it("never run a command that a deny rule covers, in any mode, whatever a person answers and an allow rule allows", async () => {
    const rules = { deny: ["Bash(rm:*)"], allow: ["Bash"] }
    const found = await wrong(ALL_MODES, async (way, mode) => {
      const { workspace } = await bash(way, DENIED, { options: ruled(mode, rules), answer: "allow" })
      return !workspace.exists("/workspace/f")
    })
    expect(found).toEqual([])
  })

  it("show no output of a denied command", async () => {
    const rules = { deny: ["Bash(cat:*)"], allow: ["Bash"] }
    const found = await wrong(["default", "bypassPermissions"], async (way, mode) => {
      const { output } = await bash(way, SECRET, { options: ruled(mode, rules), answer: "allow" })
      return output.includes("hunter2")
    })
    expect(found).toEqual([])
  })

  it("change nothing if a command needs an ask and gets no answer, or a denial", async () => {
    const rules = { ask: ["Bash(cp:*)"], allow: ["Bash"] }
    const found = await wrong(ALL_MODES, async (way, mode) => {
      const { workspace } = await bash(way, ASKED, { options: ruled(mode, rules) })
      return workspace.exists("/workspace/g")
    })
    const refused = await wrong(["default", "bypassPermissions"], async (way, mode) => {
      const { workspace, asked } = await bash(way, ASKED, { options: ruled(mode, rules), answer: "deny" })
      return workspace.exists("/workspace/g") || (mode === "dontAsk" && asked)
    })
    expect(found).toEqual([])
    expect(refused).toEqual([])
  })

  it("change nothing without rules either, until a client answers", async () => {
    const found = await wrong(MODES, async (way, mode) => {
      const { changed } = await bash(way, ASKED, { options: ruled(mode) })
      return changed && !(mode === "acceptEdits" && bashTool.edits({ command: fill(way, ASKED.name, ASKED.args) }))
    })
    expect(found).toEqual([])
  })

  it("run a command under an ask rule once a client has allowed the script", async () => {
    const rules = { ask: ["Bash(cp:*)"] }
    let ran = 0
    for (const way of WAYS) {
      const { workspace, asked } = await bash(way, ASKED, { options: ruled("default", rules), answer: "allow" })
      expect([way, asked]).toEqual([way, true])
      if (workspace.exists("/workspace/g")) ran += 1
    }
    // The shell lacks the others, or they run elsewhere.
    expect(ran).toBeGreaterThan(WAYS.length - 30)
  })

  it("are asked about in bypassPermissions if there are rules about commands and the script can't be analyzed", async () => {
    const unclear = ["for x in 1; do ls $x; done", "x=ls; $x", "f() { ls; }; f", "echo $((x))", "ls &", "ls ("]
    for (const rules of [{ deny: ["Bash(rm:*)"] }, { ask: ["Bash(rm:*)"] }]) {
      for (const command of unclear) {
        for (const [mode, answer] of [
          ["bypassPermissions", true],
          ["acceptEdits", true],
          ["dontAsk", false],
        ] as const) {
          const { asked } = await callTool("Bash", { command }, { options: ruled(mode, { ...rules, allow: ["Bash"] }) })
          expect([command, mode, asked]).toEqual([command, mode, answer])
        }
      }
    }
  })
})

describe("a script that can't be analyzed", () => {
  const command = "for x in a b; do touch $x; done"
  const rules = { deny: ["Bash(rm:*)"] }

  it("runs without an ask if an allow rule equals that script", async () => {
    const options = ruled("default", { ...rules, allow: [`Bash(${command})`] })
    const { asked, changed } = await callTool("Bash", { command }, { options })
    expect({ asked, changed }).toEqual({ asked: false, changed: true })
  })

  it("is denied if no one can be asked", async () => {
    const options: SessionOptions = { ...ruled("bypassPermissions", rules), permission_prompts: "deny" }
    const { asked, changed, output } = await callTool("Bash", { command }, { options })
    expect({ asked, changed }).toEqual({ asked: false, changed: false })
    expect(output).toContain("permission_denied")
  })

  it("runs as usual in bypassPermissions if no rule is about commands", async () => {
    for (const none of [{}, { deny: ["Write", "Read(secret/**)", "mcp__x"] }, { allow: ["Bash(rm:*)"] }]) {
      const { asked, changed } = await callTool("Bash", { command }, { options: ruled("bypassPermissions", none) })
      expect({ asked, changed }).toEqual({ asked: false, changed: true })
    }
  })

  it("may be allowed by a hook if rules only deny, but not if one asks", async () => {
    const hook = { behavior: "allow" } as const
    const denying = await callTool("Bash", { command }, { options: ruled("default", rules), hook })
    expect(denying).toMatchObject({ asked: false, changed: true })
    const asking = await callTool("Bash", { command }, { options: ruled("default", { ask: ["Bash(rm:*)"] }), hook })
    expect(asking).toMatchObject({ asked: true, changed: false })
  })
})

it("a denied file can't be read through a path with the prefix of a device", async () => {
  const options = ruled("bypassPermissions", { deny: ["Read(./.env)"] })
  for (const command of [
    "ln -s /workspace /dev/w; head /dev/w/.env",
    "mkdir /dev/fd; ln -s /workspace /dev/fd/7; head /dev/fd/7/.env",
    "x=/dev/../workspace; head $x/.env",
    "x=/dev; ln -s ../workspace $x/w; head < $x/w/.env",
    "x=.env; ln -s /workspace/$x /dev/null; head /dev/null",
    "x=.env; ln -s /workspace/$x /dev/x; head /dev/x",
  ]) {
    const { output } = await callTool("Bash", { command }, { options, files: filesFor("cat", ".env"), answer: "allow" })
    expect([command, output.includes("hunter2")]).toEqual([command, false])
  }
})

describe("an allow rule for a program that reads or edits files", () => {
  const rules = { allow: ["cp", "mv", "sed", "sort", "pushd"].map((name) => `Bash(${name}:*)`) }
  const outside = ({ workspace }: Awaited<ReturnType<typeof callTool>>) =>
    workspace.list("/", null, 100).files.filter(({ path }) => !path.startsWith("/workspace"))

  it("opens no files outside the session's directories, whichever option or link leads to them", async () => {
    for (const mode of ["default", "acceptEdits"] as const) {
      for (const command of [
        "cp -t/ f",
        "cp --target-directory=/ f",
        "cp -b -S /../../zz f g",
        "mv -t/ f",
        "mv --target-directory=/ f",
        "sed -i'../*' s/k/b/ f",
        "sed --in-place='/*' s/k/b/ f",
        "sort -o/zz f",
        "cp -s / l; cp f l/zz",
      ]) {
        const ran = await callTool("Bash", { command }, { options: ruled(mode, rules), files: { f: "keep", g: "" } })
        expect([mode, command, outside(ran)]).toEqual([mode, command, []])
      }
    }
  })

  it("opens those inside, and those that a rule for files opens", async () => {
    const options = ruled("default", { allow: [...rules.allow, "Edit(//opened/**)"] })
    const command = "cp -t sub f; sed -i.bak s/keep/kept/ sub/f; cp sub/f /opened/f"
    const { workspace, asked } = await callTool(
      "Bash",
      { command },
      { options, files: { f: "keep\n", "sub/x": "", "../opened/x": "" } },
    )
    expect(asked).toBe(false)
    expect(workspace.readText("/workspace/sub/f")).toBe("kept\n")
    expect(workspace.readText("/opened/f")).toBe("kept\n")
  })

  it("does not apply in a directory that another command changed to", async () => {
    const options = ruled("acceptEdits", { allow: [...rules.allow, "Bash(ln:*)"] })
    for (const command of ["pushd /; ln -s x y; cp workspace/f zz", "command cd /; ln -s x y; cp workspace/f zz"]) {
      const ran = await callTool("Bash", { command }, { options, files: { f: "keep" } })
      expect([command, ran.asked, outside(ran)]).toEqual([command, true, []])
    }
  })
})

describe("a command that a rule prevents from running", () => {
  it("is reported with the rule's own text, and the script continues", async () => {
    const { output } = await callTool(
      "Bash",
      { command: "echo 'rm f' | sh; echo $?" },
      { options: ruled("bypassPermissions", { deny: ["Bash(rm:*)"] }), files: { f: "x" } },
    )
    expect(output).toContain("bash: rm: not run: the permission rule Bash(rm:*) denies this command")
    expect(output).toContain("126")
  })

  it("must be called alone when it was not approved", async () => {
    const options = ruled("bypassPermissions", { ask: ["Bash(cp:*)"] })
    const { output, changed, asked } = await callTool(
      "Bash",
      { command: "echo 'cp f g' | sh" },
      { options, files: { f: "x" } },
    )
    expect({ asked, changed }).toEqual({ asked: false, changed: false })
    expect(output).toContain("bash: cp: not run: the permission rule Bash(cp:*) asks before this command runs.")
  })

  it("may also be a builtin, a script, or a command with certain arguments", async () => {
    const cases: ReadonlyArray<readonly [rule: string, command: string, effect: string]> = [
      ["Bash(cd:*)", "x=cd; $x sub && touch made", "sub/made"],
      ["Bash(eval:*)", "x=eval; $x 'touch made'", "made"],
      ["Bash(source:*)", "x=source; $x s.sh", "made"],
      ["Bash(.:*)", "x=.; $x ./s.sh", "made"],
      ["Bash(./s.sh:*)", "chmod +x s.sh; x=./s.sh; $x", "made"],
      ["Bash(./s.sh)", "chmod +x s.sh; x=/workspace/s.sh; $x", "made"],
      ["Bash(touch made)", "x=touch; $x made", "made"],
      ['Bash(touch "made")', "x=touch; $x made", "made"],
      ["Bash(touch *)", "x=/usr/bin/touch; $x made", "made"],
      ["Bash(sh:*)", "x=sh; $x s.sh", "made"],
      ["Bash(xargs:*)", "x=xargs; echo made | $x touch", "made"],
      ["Bash(* made)", "x=touch; $x made", "made"],
      ["Bash(t*ch:*)", "x=touch; $x made", "made"],
    ]
    for (const [rule, command, effect] of cases) {
      const files = { "s.sh": "#!/bin/sh\ntouch made\n", "sub/k": "" }
      const options = ruled("default", { deny: [rule] })
      const { workspace } = await callTool("Bash", { command }, { options, files, answer: "allow" })
      expect([rule, workspace.exists(`/workspace/${effect}`)]).toEqual([rule, false])
    }
  })
})
