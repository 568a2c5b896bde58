// Recordings of sessions, and runs of workflows.
import { eventually, type PerchClient } from "../../support/server/client.ts"
import { call, textAnswer } from "../../support/session/scripts.ts"
import { ask, scripted, tenant } from "./tour.ts"

const LATER = { prefer: "respond-async" }
const NAME = { name: "debate" }

export const recordingArea = async (): Promise<void> => {
  const { client: as } = await tenant()
  const session_id = await as.createSession({ runtime: { mode: "record" } })
  await as.query(session_id, await scripted(textAnswer("Done.")))
  const params = { recording_id: "tour" }
  const headers = { "idempotency-key": "tour" }
  for (const status of [201, 200])
    await ask("createRecording", status, { as, json: { id: "tour", session_id }, headers })
  await ask("getRecording", 200, { as, params })
  await ask("listRecordings", 200, { as })
  await ask("listRecordingEvents", 200, { as, params })
  await ask("createRecordingCheckpoint", 201, { as, params, json: { name: "end" } })
  const { text: document } = await ask("downloadRecording", 200, { as, params })
  const played = await ask("replayRecording", 200, { as, params, json: {} })
  await ask("getReplay", 200, { as, params: { ...params, session_id: String(played.json["session_id"]) } })
  await ask("replayRecording", 202, { as, params, json: {}, headers: LATER })
  await ask("deleteRecording", 200, { as, params })
  await ask("uploadRecording", 201, { as, params, body: document })
}

const endedRun = (as: PerchClient, params: { readonly name: string; readonly run_id: string }) =>
  eventually(async () => {
    const { json } = await ask("getWorkflowRun", 200, { as, params })
    return json["status"] === "completed" ? json : undefined
  })

export const workflowArea = async (): Promise<void> => {
  const { client: as } = await tenant()
  await ask("listWorkflows", 200, { as })
  const input = { claim: "Tests are specifications", rounds: 1 }
  await ask("createWorkflowRun", 201, { as, params: NAME, json: { id: "ended", input, harness: "offline" } })
  const ended = { ...NAME, run_id: "ended" }
  await endedRun(as, ended)
  const page = await ask("pageWorkflowRunEvents", 200, { as, params: ended, query: { limit: 500 } })
  await ask("streamWorkflowRunEvents", 200, { as, params: ended })
  const last = String(page.json["last_seq"])
  await ask("streamWorkflowRunEvents", 204, { as, params: ended, headers: { "last-event-id": last } })
  await ask("getWorkflowRunState", 200, { as, params: ended })
  await ask("createRecording", 201, { as, json: { id: "run", run_id: "ended" } })
  await ask("replayRecording", 200, { as, params: { recording_id: "run" }, json: {} })
  // Its first task waits for a permission.
  const task = await scripted({ content: [call("Write", { file_path: "/workspace/a.txt", content: "a" })] })
  const open = { name: "tasks", run_id: "open" }
  const asking = { id: "open", input: { tasks: [task, "Another one"] } }
  await ask("createWorkflowRun", 201, { as, params: open, json: asking })
  const payload = { taskId: "task-2", outcome: "success", summary: "Done elsewhere." }
  await ask("sendWorkflowSignal", 202, { as, params: open, json: { name: "task:completed", payload } })
  await ask("cancelWorkflowRun", 200, { as, params: open })
  await ask("deleteWorkflowRun", 200, { as, params: open })
  await eventually(async () => {
    const { json } = await ask("listWorkflowRuns", 200, { as, params: NAME })
    return (json["data"] as ReadonlyArray<unknown>).length > 0 ? true : undefined
  })
}
