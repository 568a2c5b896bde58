// The state of a session as a function of its log: readers that join during a retry receive it.
import { expect, it } from "vitest"
import { BusStates } from "../../../src/views/bus/session-status.ts"
import { SESSION, TurnLog } from "../../support/session/turn-log.ts"

const RETRY = { attempt: 1, max_retries: 10, retry_delay_ms: 5000, error_status: 529, error: "overloaded" }

const statesOf = (log: TurnLog): BusStates => {
  const states = new BusStates(SESSION)
  for (const event of log.events) states.apply(event)
  return states
}

const statusOf = (log: TurnLog): unknown => statesOf(log).status.properties

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
  const states = statesOf(log)
  const ended = log.sdk("result/error_during_execution", { errors: ["Interrupted"], is_error: true })
  expect(states.apply(ended).at(-1)).toMatchObject({ type: "session.status", properties: { status: { type: "busy" } } })
  log.turn = second
  expect(states.apply(log.sdk("result/success", { result: "" })).map(({ type }) => type)).toEqual([
    "session.status",
    "session.idle",
  ])
})
