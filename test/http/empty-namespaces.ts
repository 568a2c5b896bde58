// The objects of runs and recordings for tests in Node: none was created, so each answers that it does not exist.
import type { Env } from "../../src/schemas/env.ts"

const notFound = (what: string) => async () =>
  ({ ok: false, error: { type: "not_found_error", message: `there is no such ${what}` } }) as const

const gone = (what: string) => async (): Promise<Response> =>
  Response.json((await notFound(what)()).error, { status: 404 })

const noRecording: ReturnType<Env["RECORDINGS"]["getByName"]> = {
  record: notFound("session or run"),
  info: notFound("recording"),
  events: notFound("recording"),
  checkpoint: notFound("recording"),
  erase: notFound("recording"),
  replayPlan: notFound("recording"),
  compare: notFound("recording"),
  answers: notFound("recording"),
  nearest: notFound("recording"),
  fetch: gone("recording"),
}

const noRun: ReturnType<Env["WORKFLOWS"]["getByName"]> = {
  create: notFound("workflow"),
  info: notFound("run"),
  signals: notFound("run"),
  state: notFound("run"),
  send: notFound("run"),
  cancel: notFound("run"),
  erase: notFound("run"),
  recordedPage: notFound("run"),
  sessionChanged: async () => undefined,
  fetch: gone("run"),
}

export const noRecordings: Env["RECORDINGS"] = { getByName: () => noRecording }
export const noRuns: Env["WORKFLOWS"] = { getByName: () => noRun }
