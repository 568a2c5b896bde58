// Rules that no call can match, by the option that contains them.
import { describe, expect, it } from "vitest"
import { ruleNotices, settingsNotices } from "../../src/permissions/rule-notices.ts"
import { call, promptFor } from "../support/session/scripts.ts"
import { BYPASS, DONE, loop, payloadsOf } from "../support/session/loop.ts"
import { prompt } from "../support/session/session-harness.ts"

const { finish } = loop()

describe("permission rules", () => {
  it.each(["Bash(rm", "Bash(a,b) c", "Bash(ls) Write", "", "rm -rf", "Edit)"])("%j is not a complete rule", (rule) => {
    expect(ruleNotices({ disallowedTools: ["Read", rule] })).toEqual([
      expect.stringContaining(`options.disallowedTools has ${JSON.stringify(rule)}`),
    ])
    const permissions = { allow: [rule], deny: [rule], ask: [rule] }
    expect(ruleNotices({ allowedTools: [rule] })).toHaveLength(1)
    const names = settingsNotices({ settings: { permissions } })[0]?.match(/permissions\.\w+ has/g)
    expect(names).toEqual(["permissions.allow has", "permissions.deny has", "permissions.ask has"])
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
    expect(ruleNotices({ allowedTools: [rule], disallowedTools: [rule] })).toEqual([])
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

it.each(["*", "mcp__*", "B*", "Bash()", "Bash(:*)", "mcp__calc__add(a)", "mcp__calc(a)"])(
  "the settings' allow rule %s is reported, since it allows nothing",
  (rule) => {
    const [notice] = settingsNotices({ settings: { permissions: { allow: [rule, "mcp__calc__*"] } } })
    expect(notice?.split("\n")).toEqual([
      expect.stringContaining(`options.settings.permissions.allow has ${JSON.stringify(rule)}, which allows nothing`),
    ])
    expect(ruleNotices({ allowedTools: [rule] })).toEqual([])
    expect(settingsNotices({ settings: { permissions: { deny: [rule], ask: [rule] } } })).toEqual([])
  },
)

it("rules of the settings that are not in effect are reported in one warning with a tag, as recorded", async () => {
  const permissions = { allow: ["Bash()", "mcp__calc__add(a)"], deny: ["Write("] }
  const { events } = await finish([DONE], {}, { ...BYPASS, settings: { permissions } })
  const notices = payloadsOf(events(), "sdk:system/informational")
  expect(notices).toMatchObject([{ level: "warning", tag: "settings_not_in_effect" }])
  expect(String(notices[0]?.content).split("\n")).toHaveLength(3)
})
