import * as Schema from "effect/Schema"
import { expect, test } from "vitest"
import {
  createBody,
  draftOf,
  EMPTY_DRAFT,
  faultsOf,
  patternsOf,
  updateBody,
} from "../../../src/console/hooks/webhook-draft.ts"
import { CreateWebhook, type Webhook } from "../../../src/schemas/api/webhooks.ts"

const webhook: Webhook = {
  id: "1",
  url: "https://example.com/perch?***",
  events: ["ask:*", "**"],
  description: "mine",
  enabled: true,
  disabled_reason: null,
  created_at: "2026-01-31T12:00:00.000Z",
  updated_at: "2026-01-31T12:00:00.000Z",
  failing_since: null,
  last_success_at: null,
  pending: 0,
}
const draft = { ...EMPTY_DRAFT, url: "https://example.com/x?token=1" }

test("patterns are separated by lines, spaces and commas, each once", () => {
  expect(patternsOf(" ask:*,\nsdk:result/*  ask:*\n")).toEqual(["ask:*", "sdk:result/*"])
})

test.each(["ask:*", "**", "a b", "ümlaut", "x".repeat(200), "x".repeat(201), "a*".repeat(20), "(a)", "", "é*"])(
  "the console accepts the patterns %j if the server does",
  (events) => {
    const isTaken = Schema.is(CreateWebhook)(createBody({ ...draft, events }))
    expect(faultsOf({ ...draft, events }).events === null).toBe(isTaken)
  },
)

test("at most twenty patterns are accepted", () => {
  const events = Array.from({ length: 21 }, (_, index) => `a${index}`).join("\n")
  expect(faultsOf({ ...draft, events }).events).toContain("20")
})

test.each(["", "nonsense", "ftp://example.com", "https://user:pass@example.com/", `https://e.com/${"x".repeat(2048)}`])(
  "the address %j is invalid",
  (url) => {
    expect(faultsOf({ ...draft, url }).url).toMatch(/\. .+\.$/)
  },
)

test("a masked address is accepted only for the webhook that shows it", () => {
  expect(faultsOf(draftOf(webhook), webhook).url).toBeNull()
  expect(faultsOf(draftOf(webhook)).url).toContain("stars")
  expect(faultsOf({ ...draftOf(webhook), url: "https://example.com/other?***" }, webhook).url).toContain("stars")
})

test("a change contains only what differs, so that a masked address is never sent", () => {
  expect(updateBody(draftOf(webhook), webhook)).toEqual({})
  expect(updateBody({ ...draftOf(webhook), description: "", events: "**" }, webhook)).toEqual({
    events: ["**"],
    description: "",
  })
  expect(updateBody({ ...draftOf(webhook), url: " https://example.com/new " }, webhook)).toEqual({
    url: "https://example.com/new",
  })
})
