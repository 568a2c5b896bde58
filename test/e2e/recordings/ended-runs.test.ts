// Recordings of runs that failed or were cancelled: their replays end in the same way, and are equal.
import { expect, it } from "vitest"
import { promptFor, scriptName } from "../../support/session/scripts.ts"
import { eventually } from "../../support/server/client.ts"
import { completed, emits, readRun, runsOf, runThatIs, startRun } from "../../support/signals/workflow-client.ts"
import { api, type Info, perch, type Report } from "./recorded.ts"

/** Records a run of `tasks` and replays it; both must be the same. */
const expectEqualReplay = async (run: string) => {
  const { status, state } = await readRun(perch, "tasks", run)
  const recording = await perch.json<Info>("POST", "/v1/recordings", { json: { run_id: run }, status: 201 })
  const report = await perch.json<Report>("POST", `/v1/recordings/${recording.id}/replay`, { json: {} })
  expect(report, status).toMatchObject({
    equal: true,
    events: recording.signals,
    difference: null,
    not_found: null,
    state,
  })
}

const tasks = async (step: object) => {
  const name = scriptName("ended-run")
  await api.set(name, [step])
  return { name, input: { tasks: [promptFor(name), "Never begun."] } }
}

it("a run whose agent failed", async () => {
  const { input } = await tasks({ error: { status: 400, type: "invalid_request_error", message: "It is too much." } })
  const run = await startRun(perch, "tasks", { input })
  const { error } = await runThatIs(perch, run, "failed")
  expect(error?.message).toContain("It is too much.")
  await expectEqualReplay(run.id)
})

it("a run that was cancelled during a turn, while a signal from outside waited", async () => {
  const { name, input } = await tasks({ ...completed("task-1"), hold: { gate: scriptName("never") } })
  const { id } = await startRun(perch, "tasks", { input })
  await eventually(async () => (await api.requests(name)).length > 0 || undefined)
  const payload = { taskId: "task-2", outcome: "success", summary: "Done elsewhere." }
  const signal = { name: "task:completed", payload }
  await perch.json("POST", `${runsOf("tasks")}/${id}/signals`, { json: signal, status: 202 })
  await perch.json("POST", `${runsOf("tasks")}/${id}/cancel`, { json: {} })
  await expectEqualReplay(id)
})

it("a run that was cancelled while it waited for a signal", async () => {
  const { input } = await tasks(emits())
  const run = await startRun(perch, "tasks", { input, on_empty: "wait" })
  await runThatIs(perch, run, "waiting")
  await perch.json("POST", `${runsOf("tasks")}/${run.id}/cancel`, { json: {} })
  await expectEqualReplay(run.id)
})
