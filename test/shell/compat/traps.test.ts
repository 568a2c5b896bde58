// Handlers of `trap` in shells that `timeout` stops, through the Bash tool; the expected results were compared with bash 5.2.
import { describe, expect, it } from "vitest"
import { bashTool } from "../../../src/tools/bash/bash.ts"
import { openContext, run } from "../../tools/tool-context.ts"

const printed = async (command: string): Promise<string> =>
  String((await run(bashTool, { command }, openContext().context)).content)

describe("a shell that timeout stops", () => {
  it.each([
    ["timeout 0.1 bash -c 'trap \"echo bye\" EXIT; echo hi; sleep 50; echo no'; echo $?", "hi\nbye\n124"],
    ["timeout 0.1 bash -c 'trap \"sleep 0.2; echo bye\" EXIT; sleep 50' | cat", "bye"],
    ["timeout 0.1 bash -c 'trap \"echo term; exit 3\" TERM; sleep 50; echo no'; echo $?", "term\n124"],
    ['timeout -s INT 0.1 bash -c \'trap "echo int; exit 4" INT; trap "echo bye" EXIT; sleep 50\'', "int\nbye"],
    ["timeout -s KILL 0.1 bash -c 'trap \"echo bye\" EXIT; sleep 50'; echo $?", "137"],
    ["echo 'trap \"rm lock\" EXIT; touch lock; sleep 50' > s; timeout 0.1 bash s; ls", "s"],
    ["trap 'echo outer' EXIT; timeout 0.1 sleep 50; echo $?", "124\nouter"],
  ])("runs its handlers: %s", async (command, output) => {
    const given = await printed(command)
    expect(given).toContain(output)
    expect(given).not.toMatch(/no$|lock/)
  })
})
