import { expect, test } from "vitest"
import { hashOfHooks, hooksPlaceOf } from "../../../src/console/app/hooks-place.ts"
import { attemptsOf, isUnderWay, stateOfWebhook } from "../../../src/console/hooks/delivery-facts.ts"
import { HOOK_EVENT_NAMES, sessionFault, summaryOf } from "../../../src/console/hooks/hook-facts.ts"
import type { WebhookDelivery, Webhook } from "../../../src/schemas/api/webhooks.ts"
import { HOOK_EVENTS } from "../../../src/schemas/sdk/hooks/hooks.ts"

const SESSION = "01a2006d-24c2-7fca-854d-a012e7f6351c"
const AT = "2026-01-31T12:00:00.000Z"
const NOW = Date.parse(AT)
const event = { id: "1", session_id: SESSION, seq: 4, hook_event_name: "PreToolUse", at: AT, input: {}, outcome: {} }
const delivery: WebhookDelivery = {
  id: "1",
  type: "webhook:test",
  session_id: null,
  seq: null,
  state: "pending",
  attempts: 0,
  created_at: AT,
  last_attempt_at: null,
  next_attempt_at: AT,
  last_status: null,
  last_error: null,
}

test("the filter has every hook event", () => {
  expect(HOOK_EVENT_NAMES).toEqual(HOOK_EVENTS)
})

test("a summary has the tool and how many hooks failed", () => {
  expect(summaryOf(event)).toBe("")
  expect(summaryOf({ ...event, input: { tool_name: "Write" }, outcome: { failures: [{}] } })).toBe(
    "Write · 1 hook failed",
  )
  expect(summaryOf({ ...event, outcome: { failures: [{}, {}] } })).toBe("2 hooks failed")
})

test("only a complete session id is queried", () => {
  expect(sessionFault("")).toBeNull()
  expect(sessionFault(SESSION)).toBeNull()
  expect(sessionFault(SESSION.slice(1))).toContain("36")
})

test("attempts have the last status and error", () => {
  expect(attemptsOf(delivery)).toBe("no attempt yet")
  expect(attemptsOf({ ...delivery, attempts: 1, last_status: 200 })).toBe("1 attempt, status 200")
  const failed = { ...delivery, attempts: 2, last_status: 500, last_error: "It answered 500." }
  expect(attemptsOf(failed)).toBe("2 attempts, status 500: It answered 500.")
})

test("a delivery is in progress while its next attempt is near", () => {
  expect(isUnderWay(delivery, NOW)).toBe(true)
  expect(isUnderWay(delivery, NOW - 60_000)).toBe(false)
  expect(isUnderWay({ ...delivery, next_attempt_at: null }, NOW)).toBe(true)
  expect(isUnderWay({ ...delivery, state: "failed" }, NOW)).toBe(false)
})

test("a disabled webhook has its reason", () => {
  const state = (enabled: boolean, disabled_reason: Webhook["disabled_reason"]) =>
    stateOfWebhook({ enabled, disabled_reason })
  expect(state(true, null)).toBe("on")
  expect(state(false, "gone")).toContain("410")
})

test.each(["#/hooks", "#/hooks/dead", "#/hooks/webhooks", `#/hooks/events/${SESSION}`])(
  "%s is its own address",
  (hash) => {
    const place = hooksPlaceOf(hash.split("/").slice(2))
    expect(place === null ? null : hashOfHooks(place)).toBe(hash)
  },
)

test("an unknown address is no place", () => {
  expect(hooksPlaceOf(["events", "nonsense"])).toBeNull()
  expect(hooksPlaceOf(["nonsense", SESSION])).toBeNull()
  expect(hooksPlaceOf(["dead", SESSION])).toBeNull()
})
