import { expect, test } from "vitest"
import type { ResultMessage } from "../../../../src/client/api/messages.ts"
import { earlyEnd } from "../../../../src/console/chat/turn/early-end.ts"

/** The fields that are read. */
const resultOf = (subtype: string, ...errors: ReadonlyArray<string>) =>
  ({ type: "result", subtype, errors }) as unknown as ResultMessage

test("a limit that ended a turn is named with the server's reason", () => {
  expect(earlyEnd(resultOf("error_max_budget_usd", "Reached maximum budget ($0.5)"))).toEqual({
    text: "The turn ended because its budget is used up: Reached maximum budget ($0.5).",
    isBudget: true,
  })
  expect(earlyEnd(resultOf("error_max_turns"))?.text).toMatch(/as many model requests as it may\.$/)
})

test("an answer, an interrupt and a turn without a result need no sentence", () => {
  expect([earlyEnd(resultOf("success")), earlyEnd(resultOf("error_during_execution", "x")), earlyEnd(null)]).toEqual([
    null,
    null,
    null,
  ])
})
