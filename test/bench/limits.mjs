// One tenant asks for far more than its limits, another works at the same time.
//   node_modules/.bin/node test/bench/limits.mjs [--rate 40]
// The loud tenant asks for 300 sessions, 1,000 prompts, 200 sockets and 200 streams of one session, and 1,000 reads; what is
// taken and what is refused is counted exactly. It sends `--rate` requests within a second, then none for a second. The quiet
// tenant sends one text turn after the other all the time: those that begin under the load are compared with the others, so
// that whatever else the machine does is in both. Exit code 1 when a count is wrong or the ratio is above 1.5.
import { randomUUID } from "node:crypto"
import { setTimeout as delay } from "node:timers/promises"
import { parseArgs } from "node:util"
import { WebSocket } from "ws"
import { PerchClient } from "../support/server/client.ts"
import { createFakeApi } from "../support/session/scripted-api.mjs"
import { promptFor, text } from "../support/session/scripts.ts"
import { startServer } from "../support/server/server.ts"

const { values: flags } = parseArgs({
  options: { rate: { type: "string", default: "40" } },
})
const rate = Number(flags.rate)

const LIMITS = {
  requests_per_minute: 1_000_000,
  open_sessions: 100,
  running_turns: 20,
  queued_prompts: 5,
  sockets_per_session: 50,
  streams_per_session: 60,
}
const MAX_RATIO = 1.5

/** True while the loud tenant sends, or waits for an answer. */
let loading = false

/**
 * Sends `count` requests at the rate, alternating a second with requests and a second without, and counts the answers by
 * status.
 */
const paced = async (count, send) => {
  const counts = {}
  for (let n = 0; n < count;) {
    loading = true
    const sent = []
    const began = performance.now()
    for (; n < count && sent.length < rate; n += 1) {
      const due = began + (sent.length * 1000) / rate
      if (due > performance.now()) await delay(due - performance.now())
      sent.push(send(n))
    }
    for (const status of await Promise.all(sent)) counts[status] = (counts[status] ?? 0) + 1
    loading = false
    await delay(1000)
  }
  return counts
}

const statusOf = async (response) => {
  await response.body?.cancel()
  return response.status
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
const at95 = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)]

const api = await createFakeApi()
api.set("quick", [{ content: [text("Done.")] }])
api.set("held", [{ content: [text("Done.")], hold: { gate: "held" } }])
const server = await startServer({ apiUrl: api.url })
const wrong = []
/** The durations of the quiet tenant's turns, in milliseconds. */
const taken = { underLoad: [], alone: [] }
let before = 0
const expected = (what, counts, wanted) => {
  const good = JSON.stringify(counts) === JSON.stringify(wanted)
  if (!good) wrong.push(what)
  const here = taken.underLoad.slice(before)
  before = taken.underLoad.length
  const quietTurns = `quiet turns meanwhile: ${here.length}, median ${median(here).toFixed(1)} ms`
  console.log(`${what}: ${JSON.stringify(counts)}${good ? "" : `, wanted ${JSON.stringify(wanted)}`}; ${quietTurns}`)
}

try {
  const root = new PerchClient(server)
  const keyOf = async (tenant) =>
    root.withKey((await root.json("POST", "/v1/admin/keys", { json: { tenant }, status: 201 })).key)
  const loud = await keyOf("loud")
  const quiet = await keyOf("quiet")
  await root.json("PUT", "/v1/admin/tenants/loud/limits", { json: LIMITS })
  const home = await quiet.createSession()

  let done = false
  /** Runs text turns one after the other. A turn during which the load started is not counted. */
  const work = async () => {
    while (!done) {
      const [began, underLoad] = [performance.now(), loading]
      const result = await quiet.json("POST", `/v1/sessions/${home}/query`, { json: { prompt: promptFor("quick") } })
      if (result.result !== "Done.") wrong.push("a quiet turn")
      if (underLoad) taken.underLoad.push(performance.now() - began)
      else if (!loading) taken.alone.push(performance.now() - began)
    }
  }
  for (let turn = 0; turn < 40; turn += 1) {
    await quiet.json("POST", `/v1/sessions/${home}/query`, { json: { prompt: promptFor("quick") } })
  }
  const working = work()

  const ids = Array.from({ length: 300 }, () => randomUUID())
  const made = []
  const sessions = await paced(ids.length, async (n) => {
    const status = await statusOf(await loud.request("POST", "/v1/sessions", { json: { id: ids[n] } }))
    if (status === 201) made.push(ids[n])
    return status
  })
  expected("300 sessions", sessions, { 201: LIMITS.open_sessions, 429: 300 - LIMITS.open_sessions })
  // The same ids again: sessions that exist are conflicts, and count once.
  const again = await paced(20, async (n) =>
    statusOf(await loud.request("POST", "/v1/sessions", { json: { id: made[n] } })),
  )
  expected("20 sessions again", again, { 409: 20 })

  const prompts = await paced(1000, async (n) =>
    statusOf(
      await loud.request("POST", `/v1/sessions/${made[n % made.length]}/query`, {
        json: { prompt: promptFor("held") },
        headers: { prefer: "respond-async" },
      }),
    ),
  )
  const accepted = LIMITS.running_turns * (1 + LIMITS.queued_prompts)
  expected("1,000 prompts", prompts, { 202: accepted, 429: 1000 - accepted })

  const [one] = made
  const open = []
  const sockets = await paced(
    200,
    () =>
      new Promise((resolve) => {
        const url = `${server.url.replace("http", "ws")}/v1/sessions/${one}/socket?client=${randomUUID()}`
        const socket = new WebSocket(url, { headers: { authorization: `Bearer ${loud.key}` } })
        socket.once("open", () => {
          open.push(socket)
          resolve(101)
        })
        socket.once("unexpected-response", (_request, response) => {
          response.resume()
          resolve(response.statusCode)
        })
        socket.on("error", () => resolve("error"))
      }),
  )
  expected("200 sockets", sockets, { 101: LIMITS.sockets_per_session, 429: 200 - LIMITS.sockets_per_session })

  const streams = []
  const opened = await paced(200, async () => {
    const response = await loud.request("GET", `/v1/sessions/${one}/events/stream`, { limitMs: 600_000 })
    if (response.ok) streams.push(response)
    else await response.body?.cancel()
    return response.status
  })
  expected("200 streams", opened, { 200: LIMITS.streams_per_session, 429: 200 - LIMITS.streams_per_session })

  await root.json("PUT", "/v1/admin/tenants/loud/limits", { json: { ...LIMITS, requests_per_minute: 250 } })
  const since = performance.now()
  const reads = await paced(1000, async () => statusOf(await loud.request("GET", `/v1/sessions/${one}`)))
  // At a low rate a second minute starts.
  const minutes = Math.ceil((performance.now() - since) / 60_000)
  expected("1,000 reads, 250 a minute", reads, { 200: 250 * minutes, 429: 1000 - 250 * minutes })

  done = true
  await working
  for (const socket of open) socket.terminate()
  for (const response of streams) await response.body?.cancel()
  api.release("held")
  await root.json("PUT", "/v1/admin/tenants/loud/limits", { json: LIMITS })
  // Every accepted turn ends, and its slot becomes free.
  const deadline = Date.now() + 60_000
  for (let after = null; after !== 202;) {
    after = await statusOf(
      await loud.request("POST", `/v1/sessions/${made.at(-1)}/query`, {
        json: { prompt: promptFor("quick") },
        headers: { prefer: "respond-async" },
      }),
    )
    if (Date.now() > deadline) throw new Error("no slot became free")
    if (after !== 202) await delay(200)
  }

  const { alone, underLoad } = taken
  const ratio = median(underLoad) / median(alone)
  const figures = (times) =>
    `${times.length} turns, median ${median(times).toFixed(1)} ms, p95 ${at95(times).toFixed(1)}`
  console.log(
    `quiet tenant, text turns over JSON: alone ${figures(alone)}; under ${rate} requests a second ${figures(underLoad)}`,
  )
  console.log(`ratio ${ratio.toFixed(2)}`)
  if (ratio > MAX_RATIO) wrong.push("the ratio")
} finally {
  await server.dispose()
  await api.close()
}
if (wrong.length > 0) {
  console.log(`wrong: ${wrong.join(", ")}`)
  process.exitCode = 1
}
