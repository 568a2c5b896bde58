// Two logs of one session: which differences are ignored, and which are reported.
import { expect, it } from "vitest"
import { firstSignalDifference } from "../../src/recording/compare-signals.ts"
import type { Signal } from "../../src/schemas/signal.ts"

let serial = 0
const signal = (name: string, payload: Signal["payload"]): Signal => {
  serial += 1
  return { id: `s${serial}`, name, payload, timestamp: new Date(1_700_000_000_000 + serial).toISOString() }
}
const assistant = (content: string) => signal("sdk:assistant", { uuid: `u${serial}`, message: { content } })
const task = (id: string, status: string) => signal("sdk:system:task_updated", { task_id: id, patch: { status } })

it("are equal whatever their ids, times and durations", () => {
  const one = () => [assistant("a"), signal("sdk:result:success", { duration_ms: serial, queued_turn_count: serial })]
  expect(firstSignalDifference(one(), one())).toBeNull()
})

it("are equal if one was resumed or forked, and so numbers its results anew", () => {
  const result = (index: number) => signal("sdk:result:success", { result: "a", result_index: index })
  const forked = signal("session:forked", { through: 3 })
  expect(firstSignalDifference([result(0), forked, result(0)], [result(0), result(1)])).toBeNull()
})

it("are equal wherever a background task reports, and different if it reports something else", () => {
  const recorded = [task("t1", "running"), assistant("a"), task("t1", "completed"), assistant("b")]
  const played = [task("t2", "running"), assistant("a"), assistant("b"), task("t2", "completed")]
  expect(firstSignalDifference(recorded, played)).toBeNull()
  const failed = [task("t2", "running"), assistant("a"), assistant("b"), task("t2", "failed")]
  expect(firstSignalDifference(recorded, failed)?.text).toBe(
    'at payload.patch.status\nrecorded: "completed"\nplayed: "failed"',
  )
})

it("differ in the first signal that is different, or missing", () => {
  const recorded = [assistant("a"), assistant("b")]
  expect(firstSignalDifference(recorded, [assistant("a"), assistant("c")])).toMatchObject({
    part: "conversation",
    index: 1,
    text: 'at payload.message.content\nrecorded: "b"\nplayed: "c"',
  })
  expect(firstSignalDifference(recorded, [assistant("a")])).toMatchObject({ index: 1, played: null })
})

it("are equal up to the end of a recording that ends in the middle of a turn", () => {
  const opened = signal("ask:opened", { request_id: "r", tool_use_id: "t" })
  const input = { notification_type: "permission_prompt" }
  const reminder = signal("hook:fired", { hook_event_name: "Notification", input })
  const recorded = [assistant("a"), opened, reminder]
  const played = [assistant("a"), opened, signal("ask:settled", { request_id: "r" }), signal("sdk:result:error", {})]
  expect(firstSignalDifference(recorded, played, false)).toBeNull()
  expect(firstSignalDifference(recorded, played)).toMatchObject({ part: "conversation", played: "sdk:result:error" })
  expect(firstSignalDifference(recorded, [assistant("b"), opened], false)).toMatchObject({ index: 0 })
  expect(firstSignalDifference(recorded, [assistant("a")], false)).toMatchObject({ played: null })
})

it("are equal if a call's changes come before or after the end of the answer that made the call", () => {
  const changes = [
    signal("hook:fired", { hook_event_name: "TaskCreated", input: { task_id: "1", task_subject: "Test it" } }),
    signal("task:changed", { tasks: [{ id: "1", subject: "Test it" }] }),
    signal("cwd:changed", { cwd: "/workspace/sub" }),
    signal("instructions:loaded", { files: [] }),
  ]
  const finished = signal("call:finished", { stop_reason: "tool_use" })
  const recorded = [assistant("a"), ...changes, assistant("b"), finished]
  const played = [assistant("a"), assistant("b"), finished, ...changes]
  expect(firstSignalDifference(recorded, played)).toBeNull()
  const [created, ...fewer] = changes
  expect(firstSignalDifference(recorded, [...played.slice(0, 3), ...fewer])).toMatchObject({
    part: "conversation TaskCreated",
    recorded: created?.name,
    played: null,
  })
})
