// bash and sh with options, through the Bash tool; the expected results were compared with bash 5.2.
import { describe, expect, it } from "vitest"
import { bashTool } from "../../../../src/tools/bash/bash.ts"
import { openContext, run } from "../../../tools/tool-context.ts"

const FILES = "printf 'if true; then\\n' > bad.sh; printf 'echo $1\\nfalse\\necho end\\n' > s.sh;"

const printed = async (command: string, rules?: { command: (words: ReadonlyArray<string>) => string | null }) => {
  const { context } = openContext()
  return String((await run(bashTool, { command }, rules === undefined ? context : { ...context, rules })).content)
}

describe("a shell with options", () => {
  it.each([
    ["bash -n s.sh; echo $?", "0"],
    ["bash -n bad.sh 2> e; echo $?", "2"],
    ["bash -n -c 'touch made'; ls made 2> e; echo $?", "2"],
    ["bash -e s.sh x; echo $?", "x\n1"],
    ["bash -eu -o pipefail s.sh z; echo $?", "z\n1"],
    ["bash -euo pipefail -c 'false | true; echo no'; echo $?", "1"],
    ["bash -lc 'echo $0 $1' a b", "a b"],
    ["bash -xc 'echo x' 2> e; cat e", "x\n+ echo x"],
    ["echo 'echo $1' | bash -s -- q", "q"],
    ["sh -e s.sh w; echo $?", "w\n1"],
    ["bash --norc -c 'echo n'; bash -- s.sh d", "n\nd\nend"],
    ["bash -e nofile 2> e; echo $?; cat e", "127\nbash: nofile: No such file or directory"],
    ["bash -Z -c x 2> e; echo $?", "2"],
  ])("%s", async (command, output) => {
    expect(await printed(`${FILES} ${command}`)).toBe(output)
  })

  it.each(["bash -e s.sh", "bash -eu -o pipefail s.sh", "bash -n s.sh", "bash -x ./s.sh"])(
    "runs no script that a rule denies: %s",
    async (command) => {
      const refuse = { command: ([name]: ReadonlyArray<string>) => (name === "./s.sh" ? "denied" : null) }
      expect(await printed(`${FILES} ${command}`, refuse)).toContain("denied")
    },
  )

  it.each(["bash -ec 'rm x'", "bash -euo pipefail -c 'rm x'", "bash -lc 'rm x'"])(
    "runs no command that a rule denies: %s",
    async (command) => {
      const refuse = { command: ([name]: ReadonlyArray<string>) => (name === "rm" ? "denied" : null) }
      expect(await printed(command, refuse)).toContain("denied")
    },
  )
})
