// Every way in which a script can start a command passes the guard, with the command's words expanded.
import { describe, expect, it } from "vitest"
import { bashTool } from "../../src/tools/bash/bash.ts"
import type { ToolContext } from "../../src/tools/tool.ts"
import { fill, filesFor, WAYS } from "../support/values/started-commands.ts"
import { openContext, runAndCommit } from "../tools/tool-context.ts"

const SCRIPTS = WAYS.map((way) => fill(way, "rm", "f"))

/** The ways that bash supports and this shell does not. */
const LACKED: ReadonlyArray<string> = [
  "{rm,f}",
  "find . -name f -exec rm f +",
  "env -S 'rm f'",
  "exec -a x rm f",
  "busybox rm f",
  "find . -maxdepth 0 -ok rm f \\;",
  "select x in a; do rm f; break; done <<< 1",
]

const guarded = async (script: string, command: ToolContext["rules"]["command"]) => {
  const { context, workspace } = openContext()
  for (const [name, text] of Object.entries(filesFor("rm", "f"))) workspace.writeBytes(`/workspace/${name}`, text)
  const outcome = await runAndCommit(bashTool, { command: script }, { ...context, rules: { command } })
  const there = workspace.readdir("/workspace").some(({ name }) => name === "f")
  return { outcome, there, workspace }
}

describe("a command that the guard refuses", () => {
  it(`runs in none of the ${SCRIPTS.length} ways to start it`, async () => {
    const ran: Array<string> = []
    for (const script of SCRIPTS) {
      const { there } = await guarded(script, ([name]) => (/(?:^|\/)rm$/.test(name ?? "") ? "no" : null))
      if (!there) ran.push(script)
    }
    expect(ran).toEqual([])
  })

  it("is a command that the table's scripts do run if nothing refuses it", async () => {
    const idle: Array<string> = []
    for (const script of SCRIPTS) {
      const { there } = await guarded(script, () => null)
      if (there) idle.push(script)
    }
    expect(idle).toEqual(LACKED)
  })

  it("ends like a program that may not be executed, and the script continues", async () => {
    const { outcome } = await guarded("rm f; echo $?; rm f || echo next", ([name]) => (name === "rm" ? "no" : null))
    expect(outcome.content).toBe("bash: rm: no\n126\nbash: rm: no\nnext")
  })

  it.each(["/bin/rm f", "/usr/bin/env rm f", "$(which rm) f", "x=/bin/rm; $x f"])(
    "is refused by its name if it is called by its path: %s",
    async (script) => {
      const { there } = await guarded(script, ([name]) => (name === "rm" ? "no" : null))
      expect(there).toBe(true)
    },
  )

  it.each(["cd sub", "export A=1", "set -e", "source s.sh", "eval :", "read x", "echo x", ": x", "exit 3"])(
    "may be a builtin: %s",
    async (command) => {
      const [first] = command.split(" ")
      const { outcome } = await guarded(`x=${first}; $x ${command.slice(command.indexOf(" "))}`, ([name]) =>
        name === first ? "no" : null,
      )
      expect(outcome.content).toBe(`Exit code 126\nbash: ${first}: no`)
    },
  )

  it.each([
    "exec > made",
    "sh -c 'exec > made'",
    "eval 'exec 3> made'",
    "x=exec; $x > made",
    "f() { exec -- > made; }; f",
  ])("may be an exec without a command: %s", async (command) => {
    const { outcome } = await guarded(`${command}; echo after`, ([name]) => (name === "exec" ? "no" : null))
    expect(outcome.content).toBe("bash: exec: no\nafter")
  })

  it.each(["x=s.sh; sh $x", "x=bash; $x ./s.sh", ". ./s.sh", "source /workspace/s.sh", "cd sub; bash -e ../s.sh"])(
    "may be a script that is passed to a shell: %s",
    async (command) => {
      const { there } = await guarded(`mkdir sub; ${command}`, ([name]) => (name === "/workspace/s.sh" ? "no" : null))
      expect(there).toBe(true)
    },
  )

  it.each([
    "./s.sh",
    "$PWD/s.sh",
    "/workspace/s.sh",
    "sub/../s.sh",
    "cd sub; ../s.sh",
    "x=./s.sh; $x",
    "PATH=$PWD; s.sh",
  ])("may be a script, under whatever name it is called: %s", async (command) => {
    const { outcome, there } = await guarded(`mkdir sub; chmod +x s.sh; ${command}`, ([name]) =>
      name === "./s.sh" ? "no" : null,
    )
    expect(there).toBe(true)
    expect(outcome.content).toMatch(/^Exit code 126\nbash: .*: no$/)
  })
})

describe("command -v", () => {
  it.each([
    ["command -v ls nope cat; echo $?", "/usr/bin/ls\n/usr/bin/cat\n0"],
    ["command -v nope nope2; echo $?", "1"],
    ["command -V nope ls > o 2> e; echo $?", "0"],
  ])("succeeds if it finds any of the names: %s", async (command, output) => {
    const { outcome } = await guarded(command, () => null)
    expect(outcome.content).toBe(output)
  })
})
