import * as Schema from "effect/Schema"
import { expect, test } from "vitest"
import { patternFault } from "../../../../src/console/time/events/pattern.ts"
import { EventNamePattern } from "../../../../src/schemas/log/event-signal.ts"

const isTaken = Schema.is(EventNamePattern)

test.each([
  "sdk:**",
  "sdk:result/*",
  "hook:fired",
  "**",
  "*:*",
  "name with a space",
  "name with a space *",
  "a*b*c*d*e*f*g*h*",
  "a*b*c*d*e*f*g*h*i*",
  "ümlaut",
  "ümlaut*",
  "x".repeat(256),
  "x".repeat(257),
  `${"x".repeat(256)}*`,
  "(a+)+*",
])("the console takes the pattern %j when the server does", (text) => {
  expect(patternFault(text) === null).toBe(isTaken(text))
})

test("an empty filter is valid", () => {
  expect(patternFault("")).toBeNull()
})
