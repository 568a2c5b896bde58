// uname, nproc and id through the Bash tool.
import { describe, expect, it } from "vitest"
import { bashTool } from "../../../../src/tools/bash/bash.ts"
import { openContext, run } from "../../../tools/tool-context.ts"

const printed = async (command: string): Promise<string> =>
  String((await run(bashTool, { command }, openContext().context)).content)

describe("the system that scripts see", () => {
  it.each([
    ["uname", "Linux"],
    ["uname -sm", "Linux x86_64"],
    ['[ "$(uname -n)" = "$(hostname)" ] && echo same', "same"],
    ["nproc", "1"],
    ["id -u", "1000"],
    ['[ "$(id -un)" = "$(whoami)" ] && echo same', "same"],
    ["id", "uid=1000(user) gid=1000(user) groups=1000(user)"],
    ["[ $(id -u) = $(stat -c %u .) ] && echo same", "same"],
  ])("%s", async (command, output) => {
    expect(await printed(command)).toBe(output)
  })

  it("has no other user", async () => {
    expect(await printed("id nobody")).toContain("id: 'nobody': no such user")
  })
})
