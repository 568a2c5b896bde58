// The state of a session as a function of its log: readers that join during a retry receive it.
import { expect, it } from "vitest"
import { SessionStatus } from "../../../src/views/bus/session-status.ts"
import { SESSION, TurnLog } from "../../support/session/turn-log.ts"

const RETRY = { attempt: 1, max_retries: 10, retry_delay_ms: 5000, error_status: 529, error: "overloaded" }

const foldOf = (log: TurnLog): SessionStatus => {
  const fold = new SessionStatus(SESSION)
  for (const event of log.events) fold.apply(event)
  return fold
}

const statusOf = (log: TurnLog): unknown => foldOf(log).current.properties

const retried = (): TurnLog => {
  const log = new TurnLog()
  log.queued("Go")
  log.sdk("system/api_retry", RETRY)
  return log
}

it("a retry is the state until its answer arrives", () => {
  const log = retried()
  const next = log.now + RETRY.retry_delay_ms
  expect(statusOf(log)).toMatchObject({ status: { type: "retry", attempt: 1, next } })
  log.text("msg_1", "Here.")
  expect(statusOf(log)).toEqual({ sessionID: SESSION, status: { type: "busy" } })
})

it("the retry of a turn that ended does not affect the next turn", () => {
  const log = retried()
  const first = log.turn
  log.queued("And this")
  const second = log.turn
  log.turn = first
  const fold = foldOf(log)
  const ended = log.sdk("result/error_during_execution", { errors: ["Interrupted"], is_error: true })
  expect(fold.apply(ended).at(-1)).toMatchObject({ type: "session.status", properties: { status: { type: "busy" } } })
  log.turn = second
  expect(fold.apply(log.sdk("result/success", { result: "" })).map(({ type }) => type)).toEqual([
    "session.status",
    "session.idle",
  ])
})
