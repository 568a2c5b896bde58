// What a ticket may do with opencode rulesets.
import { expect, it } from "vitest"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { refusalOf } from "../../../src/session/access/rights.ts"
import { ticketOf } from "../../behaviour/permissions/actors.ts"

const refused = (before: SessionOptions, named: SessionOptions) =>
  refusalOf(ticketOf(["control"]), {
    before: { options: before, permission_updates: [] },
    after: { options: { ...before, ...named }, permission_updates: [] },
    named: { options: named },
  })?.refused.message

it("a ticket can't set a ruleset that allows, and can't change one", () => {
  expect(refused({}, { permission: { bash: "ask", edit: "deny" } })).toBeUndefined()
  expect(refused({}, { permission: { bash: "ask", edit: { "src/*": "allow" } } })).toBe(
    "The session was opened without options.permission and can't be loosened with a ticket",
  )
  expect(refused({ permission: { bash: "deny" } }, { permission: { bash: "ask" } })).toBe(
    "options.permission was set and can't be loosened with a ticket",
  )
  expect(refused({ permission: { bash: "deny" } }, { permission: { bash: "deny" } })).toBeUndefined()
})

it.each(["Bash", "Edit(*)", "Edit(//**)", "Edit(/**)", "Write(./**)", "Read(~/*)", "WebFetch(domain:*)", "Bash(*:*)"])(
  "a ticket can't add a rule that allows a whole tool: %s",
  (rule) => {
    const settings = (allow: string) => ({ settings: { permissions: { allow: [allow] } } })
    expect(refused({}, settings(rule))).toBe("The rule allows a whole tool and can't be loosened with a ticket")
    expect(refused({}, { allowedTools: [rule] })).toBe(
      "The rule allows a whole tool and can't be loosened with a ticket",
    )
  },
)

it.each(["Bash(ls:*)", "Edit(//workspace/docs/**)", "Write(./a.txt)", "WebFetch(domain:*.example.org)", "Read(.env)"])(
  "a ticket can add a rule for part of a tool if none was set: %s",
  (rule) => expect(refused({}, { settings: { permissions: { allow: [rule] } } })).toBeUndefined(),
)
