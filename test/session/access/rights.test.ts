// What a ticket may do with rules in opencode's terms.
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

it("a ticket sets no ruleset that allows, and changes none", () => {
  expect(refused({}, { permission: { bash: "ask", edit: "deny" } })).toBeUndefined()
  expect(refused({}, { permission: { bash: "ask", edit: { "src/*": "allow" } } })).toBe(
    "The session was opened without options.permission and can't be loosened with a ticket",
  )
  expect(refused({ permission: { bash: "deny" } }, { permission: { bash: "ask" } })).toBe(
    "options.permission was set and can't be loosened with a ticket",
  )
  expect(refused({ permission: { bash: "deny" } }, { permission: { bash: "deny" } })).toBeUndefined()
})
