// The content of a turn's report, whether this process ran the turn's start or not.
import { expect, it } from "vitest"
import { type TurnReport, TurnMeter } from "../../src/observe/turn-meter.ts"
import type { CallFinished, PayloadOf } from "../../src/schemas/log/event-payloads.ts"
import type { LogEvent, ResultName } from "../../src/schemas/log/events.ts"
import { numberedEvent, type TestName } from "../support/session/log-event.ts"

const call = (more: Partial<CallFinished> = {}): CallFinished => ({
  message_id: "m",
  request_id: null,
  model: "claude-sonnet-5-5",
  stop_reason: "end_turn",
  usage: { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 100, cache_creation_input_tokens: 7 },
  usd: 0.1,
  price_version: "v",
  duration_ms: 9,
  wasted: false,
  ...more,
})

let seq = 0
const event = (name: TestName, turn: string | null, payload: unknown): LogEvent =>
  numberedEvent((seq += 1), name, payload, turn)

const result = (turn: string, subtype: PayloadOf<ResultName>["subtype"] = "success") =>
  event(`sdk:result/${subtype}`, turn, {
    type: "result",
    subtype,
    result: "SECRET",
    is_error: subtype !== "success",
    terminal_reason: "completed",
    duration_ms: 1234,
    num_turns: 2,
  })

const meter = (logged: ReadonlyArray<CallFinished> = [], isPlayback = false) => {
  const reports: Array<TurnReport> = []
  const report = (one: TurnReport) => void reports.push(one)
  const made = new TurnMeter({ tenant: "acme", sessionId: "s", isPlayback, requestsOf: () => logged, report })
  return { reports, see: (...events: ReadonlyArray<LogEvent>) => events.forEach((one) => made.see(one)) }
}

it("sums the turn's requests, and reports them once with only ids and counts", () => {
  const { reports, see } = meter()
  see(
    event("sdk:system/init", "t1", {}),
    event("call:finished", "t1", call()),
    event("call:finished", "t1", call({ usd: 0.2, model: "other" })),
  )
  see(event("sdk:assistant", "t1", { message: "SECRET" }), result("t1"))
  expect(reports).toEqual([
    {
      tenant: "acme",
      session: "s",
      turn: "t1",
      model: "claude-sonnet-5-5",
      outcome: "success",
      is_error: false,
      terminal_reason: "completed",
      duration_ms: 1234,
      steps: 2,
      requests: 2,
      input_tokens: 20,
      output_tokens: 10,
      cache_read_tokens: 200,
      cache_write_tokens: 14,
      usd: 0.3,
    },
  ])
  expect(JSON.stringify(reports)).not.toContain("SECRET")
})

it("sums a turn that another process started, from the log", () => {
  const { reports, see } = meter([call(), call(), call()])
  see(event("call:finished", "t1", call()), result("t1", "error_max_turns"))
  expect(reports).toMatchObject([{ turn: "t1", outcome: "error_max_turns", is_error: true, requests: 3, usd: 0.3 }])
})

it("excludes what another session paid, and has no price if no request has one", () => {
  const { reports, see } = meter()
  see(
    event("sdk:system/init", "t1", {}),
    event("call:finished", "t1", call({ imported: true })),
    event("call:finished", "t1", call({ usd: null })),
    result("t1"),
  )
  expect(reports).toMatchObject([{ requests: 1, usd: null }])
})

it("counts a turn's requests only for that turn", () => {
  const { reports, see } = meter()
  see(event("sdk:system/init", "t1", {}), event("call:finished", "t1", call()), result("t1"))
  see(
    event("sdk:system/init", "t2", {}),
    event("call:finished", "t2", call()),
    event("call:finished", "t1", call()),
    result("t2"),
  )
  expect(reports.map(({ turn, requests }) => [turn, requests])).toEqual([
    ["t1", 1],
    ["t2", 1],
  ])
})

it("counts no request of a session that plays a recording", () => {
  const { reports, see } = meter([], true)
  see(event("sdk:system/init", "t1", {}), event("call:finished", "t1", call()), result("t1"))
  expect(reports).toMatchObject([{ model: "claude-sonnet-5-5", requests: 0, input_tokens: 0, usd: null, steps: 2 }])
})
