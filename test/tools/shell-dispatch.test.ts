// Every way in which a script can come to run a command passes the guard, with the command's words expanded.
import { describe, expect, it } from "vitest"
import { bashTool } from "../../src/tools/bash-tool.ts"
import type { ToolContext } from "../../src/tools/tool.ts"
import { openContext, runAndCommit } from "./tool-context.ts"

const FILES: Readonly<Record<string, string>> = {
  f: "keep\n",
  "names.txt": "f\n",
  "s.sh": "#!/bin/bash\nrm f\n",
  ".hidden": "x\n",
}

/** Scripts that end in `rm f`, however they come to it. */
const WAYS: ReadonlyArray<string> = [
  "rm f",
  "/bin/rm f",
  "/usr/bin/rm f",
  "\\rm f",
  "'r'm f",
  "r''m f",
  "command rm f",
  "command -p rm f",
  "exec rm f",
  "(exec rm f)",
  "x=rm; $x f",
  'x="rm f"; $x',
  "x='rm f'; eval \"$x\"",
  "a=(rm f); ${a[@]}",
  'a=(rm f); "${a[@]}"',
  "$(echo rm) f",
  "`echo rm` f",
  "$(printf 'r%s' m) f",
  "r${EMPTY}m f",
  "{rm,f}",
  "echo 'rm f' | sh",
  "echo 'rm f' | bash",
  "echo 'rm f' | bash -s",
  "sh -c 'rm f'",
  "bash -c 'rm f'",
  "bash -c 'eval \"rm f\"'",
  "sh -c \"sh -c 'rm f'\"",
  "bash -c '\"$@\"' _ rm f",
  "sh <<'E'\nrm f\nE",
  "sh <<< 'rm f'",
  "sh s.sh",
  "bash ./s.sh",
  ". ./s.sh",
  "source s.sh",
  "source <(echo rm f)",
  "chmod +x s.sh; ./s.sh",
  "chmod +x s.sh; PATH=$PWD:$PATH; s.sh",
  "eval rm f",
  "eval 'rm' f",
  "builtin eval 'rm f'",
  "echo f | xargs rm",
  "echo 'rm f' | xargs -I{} sh -c '{}'",
  "xargs -n 1 rm < names.txt",
  "xargs -a names.txt rm; xargs rm < names.txt",
  "find . -name f -exec rm {} \\;",
  "find . -name f -exec rm {} +",
  "find . -name f -execdir rm {} \\;",
  "find . -name f | xargs rm",
  "find . -name f -print0 | xargs -0 rm",
  "find . -name f -exec sh -c 'rm \"$1\"' _ {} \\;",
  "env rm f",
  "env A=1 rm f",
  "env -i rm f",
  "timeout 5 rm f",
  "time rm f",
  "! rm f",
  "rm f &\nwait",
  "{ rm f; }",
  "(rm f)",
  "if rm f; then :; fi",
  "while rm f; do break; done",
  "until rm f; do break; done",
  "for x in f; do rm $x; done",
  "for c in rm; do $c f; done",
  "case x in x) rm f ;; esac",
  "f() { rm f; }; f",
  'f() { "$@"; }; f rm f',
  "function g { rm f; }; g",
  "echo f | while read -r x; do rm $x; done",
  "while read -r x; do rm $x; done < names.txt",
  "echo $(rm f)",
  "echo `rm f`",
  "cat <(rm f)",
  "echo x > >(rm f)",
  "x=$(rm f)",
  "echo ${x:-$(rm f)}",
  "echo $(( $(rm f; echo 1) ))",
  "(( $(rm f; echo 1) ))",
  "cat <<E\n$(rm f)\nE",
  "cat <<< $(rm f)",
  "[[ -n $(rm f) ]]",
  '[ -n "$(rm f)" ]',
  "let 'a[$(rm f)]=1'",
  "test -v 'a[$(rm f)]'",
  "[ -v 'a[$(rm f)]' ]",
  "[[ -v 'a[$(rm f)]' ]]",
  "[[ 'a[$(rm f)]' -eq 1 ]]",
  "printf -v 'a[$(rm f)]' x",
  "declare 'a[$(rm f)]=1'",
  "unset 'a[$(rm f)]'",
  "x='a[$(rm f)]'; echo $((x))",
  "x='a[$(rm f)]'; echo ${PWD:x}",
  "x='a[$(rm f)]'; echo ${!x}",
  "a=(1 2); echo ${a[$(rm f; echo 1)]}",
  "a[$(rm f; echo 1)]=2",
  "declare -i x; x='a[$(rm f)]'",
  "PS4='$(rm f)'; set -x; echo",
  "shopt -s expand_aliases; alias q=rm\nq f",
  "shopt -s expand_aliases; alias q='rm f'\nq",
  "trap 'rm f' EXIT",
  "trap 'rm f' EXIT; exit 0",
  "compgen -C 'rm f'",
  "awk 'BEGIN { \"rm f\" | getline x }'",
  "rm() { :; }; command rm f",
  "true && rm f",
  "false || rm f",
  "cd . && rm f",
  "export X=rm; bash -c '$X f'",
  'set -- rm f; "$@"',
  "echo rm > c; $(cat c) f",
  "read -r x <<< rm; $x f",
  "printf -v x rm; $x f",
  "mapfile -t a <<< rm; ${a[0]} f",
  "IFS=,; x=rm,f; $x",
  "rm -f f",
  "rm -rf f nothing",
]

/** Those of them that bash runs and this shell does not. */
const LACKED: ReadonlyArray<string> = [
  "/bin/rm f",
  "/usr/bin/rm f",
  'a=(rm f); "${a[@]}"',
  "{rm,f}",
  "echo 'rm f' | bash -s",
  "bash -c '\"$@\"' _ rm f",
  'f() { "$@"; }; f rm f',
  'set -- rm f; "$@"',
]

const guarded = async (script: string, command: ToolContext["rules"]["command"]) => {
  const { context, workspace } = openContext()
  for (const [name, text] of Object.entries(FILES)) workspace.writeBytes(`/workspace/${name}`, text)
  const outcome = await runAndCommit(bashTool, { command: script }, { ...context, rules: { command } })
  const there = workspace.readdir("/workspace").some(({ name }) => name === "f")
  return { outcome, there, workspace }
}

describe("a command that the guard refuses", () => {
  it(`runs in none of the ${WAYS.length} ways to start it`, async () => {
    const ran: Array<string> = []
    for (const script of WAYS) {
      const { there } = await guarded(script, ([name]) => (/(?:^|\/)rm$/.test(name ?? "") ? "no" : null))
      if (!there) ran.push(script)
    }
    expect(ran).toEqual([])
  })

  it("is a command that the table's scripts do run where nothing refuses it", async () => {
    const idle: Array<string> = []
    for (const script of WAYS) {
      const { there } = await guarded(script, () => null)
      if (there) idle.push(script)
    }
    expect(idle).toEqual(LACKED)
  })

  it("ends as a program that may not be executed does, and the script goes on", async () => {
    const { outcome } = await guarded("rm f; echo $?; rm f || echo next", ([name]) => (name === "rm" ? "no" : null))
    expect(outcome.content).toBe("126\nnext\nbash: rm: no\nbash: rm: no")
  })

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

  it.each(["./s.sh", "$PWD/s.sh", "/workspace/s.sh", "sub/../s.sh", "x=./s.sh; $x", "PATH=$PWD; s.sh"])(
    "may be a script, under whatever name it is called: %s",
    async (command) => {
      const { outcome, there } = await guarded(`mkdir sub; chmod +x s.sh; ${command}`, ([name]) =>
        name === "./s.sh" ? "no" : null,
      )
      expect(there).toBe(true)
      expect(outcome.content).toMatch(/^Exit code 126\nbash: .*: no$/)
    },
  )
})
