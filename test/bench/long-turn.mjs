// A turn that outlasts an invocation of its object, on a real server, with no client attached after its prompt was sent.
//   node_modules/.bin/node test/bench/long-turn.mjs [--steps 26] [--seconds 58] [--invocation 720]
// Each step's answer takes that long; between two of them a command appends a line to a file. Prints what came of it, and
// fails unless the turn has one result, every request was made once and every line is in the file once.
import { parseArgs } from "node:util"
import { setTimeout as delay } from "node:timers/promises"
import { startServer } from "../support/server/server.ts"
import { createFakeApi } from "../support/session/scripted-api.mjs"

const { values } = parseArgs({
  options: {
    steps: { type: "string", default: "26" },
    seconds: { type: "string", default: "58" },
    invocation: { type: "string", default: "" },
  },
})
const steps = Number(values.steps)
const ms = Number(values.seconds) * 1000

const api = await createFakeApi()
const server = await startServer({
  apiUrl: api.url,
  env: { PERCH_LOG: "debug", PERCH_INVOCATION_SECONDS: values.invocation },
})

/** Sends one request on a new connection, so that no client is connected between two of them. */
const ask = async (method, path, body) => {
  const answer = await fetch(`${server.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${server.key}`,
      "content-type": "application/json",
      prefer: "respond-async",
      connection: "close",
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  return answer.json()
}

try {
  // Half of the time before the answer starts, half of it in the middle of its text.
  const turns = Array.from({ length: steps }, (_, step) => ({
    content: [
      { type: "text", text: `Step ${step} of the work, written in two pieces.` },
      { type: "tool_use", id: `toolu_${step}`, name: "Bash", input: { command: `echo ${step} >> lines` } },
    ],
    delay_ms: ms / 2,
    // Its text and its call arrive in two chunks each.
    delta_delay_ms: ms / 2 / 4,
  }))
  api.set("long", { turns: [...turns, { content: [{ type: "text", text: "All done." }] }] })
  const startedAt = Date.now()
  const { session_id: id } = await ask("POST", "/v1/query", {
    prompt: "[[script:long]] go",
    options: { permissionMode: "bypassPermissions" },
  })
  // The server is not polled until the last request was made: this program reads its own log of the scripted API.
  const made = () => api.log.filter(({ kind }) => kind === "main")
  while (!made().some(({ step }) => step === steps)) await delay(250)
  for (let open = true; open; await delay(500)) open = (await ask("GET", `/v1/sessions/${id}`)).state !== "idle"
  const events = []
  for (let after = 0, more = true; more;) {
    const page = await ask("GET", `/v1/sessions/${id}/events?after=${after}&limit=500`)
    events.push(...page.events)
    more = page.has_more
    after = page.events.at(-1)?.seq ?? after
  }
  const results = events.filter(({ name }) => name.startsWith("sdk:result"))
  const lines = await fetch(`${server.url}/v1/sessions/${id}/files/workspace/lines`, {
    headers: { authorization: `Bearer ${server.key}` },
  }).then((answer) => answer.text())
  const requests = made().length
  const figures = {
    minutes: ((Date.now() - startedAt) / 60_000).toFixed(1),
    steps,
    requests,
    starts: [...server.output().matchAll(/"session object started"/g)].length,
    hand_overs: [...server.output().matchAll(/"turn handed_over"/g)].length,
    results: results.map(({ payload }) => `${payload.subtype}: ${payload.result}`),
    lines: lines.trim().split("\n").length,
  }
  console.log(JSON.stringify(figures))
  const inOrder = lines === Array.from({ length: steps }, (_, step) => `${step}\n`).join("")
  const well = inOrder && requests === steps + 1 && results.length === 1 && results[0].payload.result === "All done."
  process.exitCode = well ? 0 : 1
} finally {
  await server.dispose()
  await api.close()
}
