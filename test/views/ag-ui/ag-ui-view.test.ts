// The stream of a run whose prompt is withdrawn while another turn runs, whose session is erased, or that waits for the app's
// tools.
import { expect, it } from "vitest"
import { AgUiView } from "../../../src/views/ag-ui/ag-ui-view.ts"
import type { RequestedRun } from "../../../src/views/ag-ui/requested-run.ts"
import { EMPTY_BASE } from "../../../src/views/live/session-base.ts"
import { viewEventOf } from "../../../src/views/live/view-event.ts"
import { SESSION, TurnLog } from "../../support/session/turn-log.ts"

const NONE: ReadonlySet<string> = new Set()

const requested = (turn: string): RequestedRun => ({
  threadId: "thread",
  runId: "run",
  begins: { turn },
  answered: NONE,
})

/** The stream of the second prompt after each event. */
const read = (log: TurnLog, wanted: string) => {
  const view = new AgUiView({ sessionId: SESSION, base: EMPTY_BASE }, requested(wanted))
  const frames = log.events.flatMap((event) => view.apply(viewEventOf(event)))
  return { ended: view.ended, events: frames.map(({ data }) => JSON.parse(data) as { readonly type: string }) }
}

it("ends at once, cancelled, with nothing of that turn", () => {
  const log = new TurnLog()
  log.queued("first")
  const first = log.turn
  log.init()
  log.block("m1", { type: "text", text: "An answer" })
  log.toolUse("m1", "t1", "Agent", { prompt: "look" })
  log.queued("second")
  const second = log.turn
  expect(read(log, second)).toEqual({ ended: false, events: [] })
  log.add("turn:cancelled", {}, second)
  const cancelled = read(log, second)
  expect(cancelled.ended).toBe(true)
  expect(cancelled.events).toMatchObject([
    { type: "RUN_STARTED", runId: "run" },
    { type: "STATE_SNAPSHOT" },
    { type: "RUN_FINISHED", runId: "run", outcome: { type: "cancelled" } },
  ])
  log.turn = first
  log.result()
  expect(read(log, second)).toEqual(cancelled)
})

it("is cancelled when the session is erased before its turn has ended", () => {
  const log = new TurnLog()
  log.queued("first")
  const first = log.turn
  log.init()
  log.block("m1", { type: "text", text: "An answer" })
  log.queued("second")
  const eventsOf = (wanted: string) => {
    const view = new AgUiView({ sessionId: SESSION, base: EMPTY_BASE }, requested(wanted))
    for (const event of log.events) view.apply(viewEventOf(event))
    const events = view.gone().map(({ id, data }) => ({ id, ...(JSON.parse(data) as object) }))
    return [events, view.ended, view.gone()]
  }
  const finished = { id: null, type: "RUN_FINISHED", threadId: "thread", runId: "run", outcome: { type: "cancelled" } }
  expect(eventsOf(log.turn)).toMatchObject([
    [{ type: "RUN_STARTED", runId: "run" }, { type: "STATE_SNAPSHOT" }, finished],
    true,
    [],
  ])
  expect(eventsOf(first)).toMatchObject([[{ type: "STEP_FINISHED" }, finished], true, []])
  const shown = new AgUiView({ sessionId: SESSION, base: EMPTY_BASE })
  for (const event of log.events) shown.apply(viewEventOf(event))
  expect(shown.gone()).toEqual([])
})

it.each([
  [
    "names the calls that wait for the app's tools",
    { protocolVersion: "1.0" },
    { type: "success", pendingToolCallIds: ["t1"] },
  ],
  ["has nothing that the schemas of clients before AG-UI 1.0 reject", {}, { type: "success" }],
])("the end of a run %s", (_, version, outcome) => {
  const log = new TurnLog()
  log.queued("first")
  log.init()
  log.toolUse("m1", "t1", "pick", {})
  const asked = { kind: "client_tool", tool_name: "pick", tool_use_id: "t1", input: {}, expires_at: 60_000 } as const
  log.add("ask:opened", { request_id: "a", agent_id: null, detached: false, ...asked })
  log.call("m1", { stop_reason: "tool_use" })
  const view = new AgUiView({ sessionId: SESSION, base: EMPTY_BASE }, { ...requested(log.turn), ...version })
  const frames = log.events.flatMap((event) => view.apply(viewEventOf(event)))
  const last = JSON.parse(frames.at(-1)?.data ?? "{}") as object
  expect(last).toMatchObject({ type: "RUN_FINISHED" })
  expect(Reflect.get(last, "outcome")).toEqual(outcome)
})
