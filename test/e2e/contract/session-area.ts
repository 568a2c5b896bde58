// Sessions: created, read, changed, forked, prompted with every way to wait, and erased.
import { randomUUID } from "node:crypto"
import { WebSocket } from "ws"
import { call, text } from "../../support/session/scripts.ts"
import { ask, root, sawAnswer, scripted, tenant } from "./tour.ts"

const STREAM = { accept: "text/event-stream" }
const LATER = { prefer: "respond-async" }
const DONE = { content: [text("Done.")] }
const WRITE = { content: [call("Write", { file_path: "/workspace/a.txt", content: "one" })] }

/** The frames of each format of a session's log, live and in pages. */
const formats = async (id: string): Promise<void> => {
  const params = { id }
  for (const format of ["sdk", "signal", "parts", "reply", "agent-events", "ag-ui"]) {
    const until = { sdk: '"type":"result"', signal: "sdk:result", parts: "session.idle", reply: "Done." }[format]
    await ask("streamEvents", 200, { params, query: { format, after: 0 }, until: until ?? "Done." })
    if (format !== "sdk") await ask("pageEvents", 200, { params, query: { format } })
  }
  await ask("pageEvents", 200, { params })
  for (const format of ["parts", "sdk"]) await ask("listMessages", 200, { params, query: { format } })
}

const connect = async (id: string): Promise<void> => {
  const socket = new WebSocket(`${root.url.replace("http", "ws")}/v1/sessions/${id}/socket`, {
    headers: { authorization: `Bearer ${root.key}` },
  })
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject))
  sawAnswer("openSocket", 101)
  socket.close()
}

export const sessionArea = async (): Promise<void> => {
  const id = randomUUID()
  const params = { id }
  const json = { id, options: { permissionMode: "acceptEdits" } }
  await ask("createSession", 201, { json })
  await ask("createSession", 200, { json: { ...json, on_exists: "attach" } })
  await ask("listSessions", 200, { query: { limit: 5 } })
  await ask("patchSession", 200, { params, json: { title: "A tour", metadata: { of: "contract" } } })
  await ask("getSession", 200, { params })
  await ask("querySession", 200, { params, json: { prompt: await scripted(WRITE, DONE) }, headers: STREAM })
  await ask("querySession", 200, { params, json: { prompt: await scripted(DONE) } })
  const uuid = randomUUID()
  await ask("querySession", 202, { params, json: { prompt: await scripted(DONE), uuid }, headers: LATER })
  await ask("getTurn", 200, { params: { id, turn_id: uuid }, query: { wait: 30 } })
  await formats(id)
  for (const each of ["listTurns", "sessionContext", "sessionCost", "listTodos", "listSessionCommands", "interrupt"])
    await ask(each, 200, { params, ...(each === "interrupt" ? { json: {} } : {}) })
  await ask("createTicket", 201, { params, json: { roles: ["observe"] } })
  await ask("sendEvents", 200, {
    params,
    query: { client: "tour" },
    json: { events: [{ payload: { type: "control_request", request_id: "r1", request: { subtype: "interrupt" } } }] },
  })
  await connect(id)
  for (const headers of [{}, STREAM, LATER])
    await ask("compactSession", "prefer" in headers ? 202 : 200, { params, json: {}, headers })
  const copy = randomUUID()
  const headers = { "idempotency-key": copy }
  for (const status of [201, 200]) await ask("forkSession", status, { params, json: { id: copy }, headers })
  await ask("deleteSession", 200, { params: { id: copy } })
  await ask("query", 200, { json: { prompt: await scripted(DONE) }, headers: STREAM })
  await ask("query", 200, { json: { prompt: await scripted(DONE) } })
  await ask("query", 202, { json: { prompt: await scripted(DONE) }, headers: LATER })
}

/** Asks, saved answers, and the progress of a routed run. */
export const questionArea = async (): Promise<void> => {
  const { client: as } = await tenant()
  const id = await as.createSession({ permission: [{ permission: "*", pattern: "*", action: "ask" }] })
  const params = { id }
  for (const scope of ["session", "tenant"]) {
    const prompt = await scripted({ content: [call("Bash", { command: `touch ${scope}`, description: "d" })] }, DONE)
    const { json } = await ask("querySession", 202, { as, params, json: { prompt } })
    const listed = await ask("listPermissions", 200, { as, params })
    const [pending] = listed.json["pending"] as ReadonlyArray<{ readonly request_id: string }>
    const request = { id, request_id: pending?.request_id ?? "" }
    await ask("answerPermission", 200, { as, params: request, json: { reply: "always", scope } })
    await ask("getTurn", 200, { as, params: { id, turn_id: String(json["turn_id"]) }, query: { wait: 30 } })
  }
  const saved = async (of: string) => {
    const { json } = await ask(of, 200, { as, params })
    return json["saved"] as ReadonlyArray<{ readonly id: string; readonly scope: string }>
  }
  const own = (await saved("listSavedPermissions")).find(({ scope }) => scope === "session")
  await ask("revokeSavedPermission", 200, { as, params: { id, saved_id: own?.id ?? "" } })
  const [shared] = await saved("listTenantPermissions")
  await ask("revokeTenantPermission", 204, { as, params: { saved_id: shared?.id ?? "" } })
  await ask("putProgress", 200, { as, params, json: { text: "Half of it." } })
  await ask("getProgress", 200, { as, params })
}
