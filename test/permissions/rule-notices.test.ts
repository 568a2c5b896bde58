// Rules that no call can match, by the option that contains them.
import { describe, expect, it } from "vitest"
import { ruleNotices } from "../../src/permissions/rule-notices.ts"
import { call, promptFor } from "../support/session/scripts.ts"
import { BYPASS, DONE, loop, payloadsOf } from "../support/session/loop.ts"
import { prompt } from "../support/session/session-harness.ts"

const { finish } = loop()

const CWD = "/workspace"

describe("permission rules", () => {
  it.each(["Bash(rm", "Bash(a,b) c", "Bash(ls) Write", "", "rm -rf", "Edit)"])("%j is not a complete rule", (rule) => {
    expect(ruleNotices({ disallowedTools: ["Read", rule] }, CWD)).toEqual([
      expect.stringContaining(`options.disallowedTools has ${JSON.stringify(rule)}`),
    ])
    const permissions = { allow: [rule], deny: [rule], ask: [rule] }
    expect(ruleNotices({ allowedTools: [rule], settings: { permissions } }, CWD)).toHaveLength(4)
  })

  it.each([
    "Bash",
    " Write ",
    "Bash(git:*)",
    'Bash(grep "f(" *)',
    "Bash (ls)",
    "Edit(./a b/**)",
    "mcp__far__add",
    "mcp__far__*",
    "*",
    "WebFetch(domain:example.com)",
    "Agent(helper)",
  ])("%j is one", (rule) => {
    expect(ruleNotices({ allowedTools: [rule], disallowedTools: [rule] }, CWD)).toEqual([])
  })

  it.each(["Write(//workspace/a.txt)", "NotebookEdit(a.ipynb)", "Glob(src/**)", "Grep(*.ts)", "LS(/)"])(
    "%j matches nothing, since paths belong into Edit(…) and Read(…)",
    (rule) => {
      expect(ruleNotices({ disallowedTools: [rule] }, CWD)).toEqual([
        `options.disallowedTools has ${JSON.stringify(rule)}, which denies nothing: paths belong into Edit(…), for every tool that changes files, or Read(…), for every tool that reads them.`,
      ])
    },
  )

  it.each(["Read(/workspace/docs/**)", "Edit(/workspace)"])("%j repeats the working directory", (rule) => {
    const absolute = rule.replace("(", "(/")
    expect(ruleNotices({ allowedTools: [rule] }, CWD)).toEqual([
      expect.stringContaining(`Write ${JSON.stringify(absolute)} for the absolute path.`),
    ])
    expect(ruleNotices({ allowedTools: [absolute] }, CWD)).toEqual([])
    expect(ruleNotices({ allowedTools: [rule] }, "/")).toEqual([])
    expect(ruleNotices({ allowedTools: [rule] }, "/work")).toEqual([])
  })

  it("with nothing in their parentheses allow nothing, which is reported", () => {
    expect(ruleNotices({ allowedTools: ["Bash()"], disallowedTools: ["Bash()"] })).toEqual([
      expect.stringContaining('options.allowedTools has "Bash()", which is not a complete rule and allows nothing'),
    ])
  })

  it("that are invalid are reported to clients once, after the turn's init", async () => {
    const options = { ...BYPASS, disallowedTools: ["Bash(rm"] }
    const { events, idle, session, script } = await finish(
      [{ content: [call("Glob", { pattern: "*" })] }, DONE, DONE],
      {},
      options,
    )
    prompt(session, promptFor(script))
    await idle()
    expect(payloadsOf(events(), "sdk:system/informational")).toMatchObject([
      {
        level: "warning",
        content: expect.stringContaining('"Bash(rm", which is not a complete rule and denies nothing'),
      },
    ])
  })
})
