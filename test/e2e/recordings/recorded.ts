// Recorded sessions and runs of the shared server, for the tests of this folder.
import { inject } from "vitest"
import { ApiLog } from "../../support/session/api-log.ts"
import { eventually, PerchClient } from "../../support/server/client.ts"
import { call, promptFor, scriptName, text, textAnswer } from "../../support/session/scripts.ts"

const shared = inject("shared")
export const perch = new PerchClient(shared)
export const api = new ApiLog(shared.apiUrl)

export interface Info {
  readonly id: string
  readonly signals: number
  readonly answers: number
  readonly checkpoints: ReadonlyArray<unknown>
}

export interface Report {
  readonly session_id: string
  readonly equal: boolean | null
  readonly events: number
  readonly difference: { readonly part: string; readonly text: string } | null
  readonly not_found: string | null
}

export const RECORD = {
  runtime: { mode: "record" },
  permissionMode: "bypassPermissions",
  allowDangerouslySkipPermissions: true,
}

/** A recorded session of two prompts, the first of which writes and reads a file. */
export const recorded = async (client = perch) => {
  const name = scriptName("recorded")
  await api.set(name, [
    { content: [text("I write."), call("Write", { file_path: "/workspace/a.txt", content: "one" })] },
    { content: [call("Read", { file_path: "/workspace/a.txt" }), call("Bash", { command: "cat a.txt | wc -c" })] },
    textAnswer("It has one word."),
    textAnswer("Again."),
  ])
  const id = await client.createSession(RECORD)
  await client.query(id, promptFor(name))
  await client.query(id, `${promptFor(name)} And now?`)
  return { id, name }
}

export const record = (session: string, more: object = {}, client = perch) =>
  client.json<Info>("POST", "/v1/recordings", { json: { session_id: session, ...more }, status: 201 })

/** A key of the tenant with all scopes, or with these. */
export const tenant = async (name: string, scopes?: ReadonlyArray<string>) => {
  const json = { tenant: name, ...(scopes === undefined ? {} : { scopes }) }
  const made = await perch.json<{ key: string }>("POST", "/v1/admin/keys", { json, status: 201 })
  return perch.withKey(made.key)
}

export const errorOf = async (answer: Promise<Response>) => {
  const response = await answer
  const { error } = (await response.json()) as { error: { type: string; message: string; field?: string } }
  return { status: response.status, ...error }
}

/** The recording as a download. */
export const documentOf = async ({ id }: { readonly id: string }, client = perch) =>
  (await client.request("GET", `/v1/recordings/${id}/download`)).text()

/** A run of the debate that has ended, and its recording. */
export const recordedRun = async () => {
  const run = await perch.json<{ id: string }>("POST", "/v1/workflows/debate/runs", {
    json: { input: { claim: "Tests are specifications", rounds: 1 }, harness: "offline" },
    status: 201,
  })
  const ended = await eventually(async () => {
    const now = await perch.json<{ status: string; state: unknown }>("GET", `/v1/workflows/debate/runs/${run.id}`)
    return now.status === "completed" ? now : undefined
  })
  const recording = await perch.json<Info>("POST", "/v1/recordings", { json: { run_id: run.id }, status: 201 })
  return { run: run.id, state: ended.state, recording }
}
