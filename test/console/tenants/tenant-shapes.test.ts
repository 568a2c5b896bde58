// Keys by tenant and their states; limits as they are typed.
import { expect, test } from "vitest"
import { type ApiKey, byTenant, endOfDay, limitsOf, stateOf } from "../../../src/console/tenants/tenant-shapes.ts"

const NOW = Date.parse("2026-01-31T12:00:00.000Z")
const key = (fields: Partial<ApiKey> = {}): ApiKey => ({
  id: "k",
  tenant: "acme",
  label: null,
  scopes: [],
  created_at: "2026-01-01T00:00:00.000Z",
  expires_at: null,
  last_used_at: null,
  revoked_at: null,
  previous_secret_until: null,
  ...fields,
})

test("keys are listed by tenant, the newest first", () => {
  const keys = [key({ id: "a" }), key({ id: "b", tenant: "aaa" }), key({ id: "c", created_at: "2026-01-02T00:00:00Z" })]
  expect(byTenant(keys).map(({ tenant, keys: own }) => [tenant, ...own.map(({ id }) => id)])).toEqual([
    ["aaa", "b"],
    ["acme", "c", "a"],
  ])
})

test("a key is active until it is revoked or expires", () => {
  expect(stateOf(key(), NOW)).toBe("active")
  expect(stateOf(key({ expires_at: "2026-01-31T11:00:00Z" }), NOW)).toBe("expired")
  expect(stateOf(key({ revoked_at: "2026-01-30T00:00:00Z", expires_at: "2026-01-31T11:00:00Z" }), NOW)).toBe("revoked")
  expect(stateOf(key({ previous_secret_until: "2026-01-31T13:00:00Z" }), NOW)).toMatch(/previous secret/)
})

test("a key that expires on a day works on that day", () => {
  expect(endOfDay("2026-01-31")).toBe(new Date(2026, 0, 31, 23, 59, 59).toISOString())
  expect(stateOf(key({ expires_at: endOfDay("2026-01-31") }), new Date(2026, 0, 31, 23, 0).getTime())).toBe("active")
})

test("an empty limit means the deployment's, any other must be an integer", () => {
  expect(limitsOf({ running_turns: " 5 ", open_sessions: "" })).toEqual({ limits: { running_turns: 5 } })
  expect(limitsOf({ running_turns: "-1" })).toMatchObject({ name: "running_turns" })
  expect(limitsOf({ running_turns: "1.5" })).toMatchObject({ name: "running_turns" })
})
