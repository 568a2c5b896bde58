// What Cloudflare would bill for a session of a hundred turns, from the counters of a real run on a local server.
//   node_modules/.bin/node test/bench/long-session/bill.mjs [--turns 100] [--seconds 20]
// Half of the turns are text, half have a call of Read. The model answers at once here; `--seconds` is what a turn takes with a
// model that thinks, for which the object is billed by the time. Processor time is that of the whole local server, its simulated
// D1 and Queue included: more than what is billed. Rows of D1 are those that are there at the end, each with its indexes; a
// row that was written twice counts once.
import { parseArgs } from "node:util"
import { d1Rows } from "../../support/server/local-d1.ts"
import { startServer } from "../../support/server/server.ts"
import { loop } from "../figures.mjs"
import { startLoopApi } from "../loop-api.mjs"
import { perchTarget } from "../perch-loop.mjs"

const { values: flags } = parseArgs({
  options: { turns: { type: "string", default: "100" }, seconds: { type: "string", default: "20" } },
})
const turns = Number(flags.turns)

/** US dollars beyond what the paid plan includes, as Cloudflare's pages gave them on 2026-11-23. */
const PRICES = {
  worker_request: 0.3e-6,
  cpu_ms: 0.02e-6,
  object_request: 0.15e-6,
  object_gb_second: 12.5e-6,
  row_read: 0.001e-6,
  row_written: 1e-6,
  object_gb_month: 0.2,
  d1_gb_month: 0.75,
  queue_operation: 0.4e-6,
}
/** An object is billed for this much memory (GB) while it runs. */
const OBJECT_GB = 0.128
/** A message is written, read and deleted. The hook events of a turn are one message. */
const QUEUE_OPERATIONS = 3

/** Rows written for a row of each table: its own, and one for each index. */
const D1_TABLES = { sessions: 3, messages: 1, parts: 1, costs: 1, turns: 1, hook_events: 3 }

const lastCount = (output, name) => Number([...output.matchAll(new RegExp(`"${name}":(\\d+)`, "g"))].at(-1)?.[1] ?? 0)

const api = await startLoopApi()
const server = await startServer({ apiUrl: api.url, env: { PERCH_LOG: "debug" } })
try {
  const target = perchTarget(server)
  const session = await target.session()
  const cpuBefore = target.cpuMs()
  for (let done = 0; done < turns; done += 1) await session.turn(loop(done % 2).prompt)
  await target.settled()
  const cpu = target.cpuMs() - cpuBefore
  const output = server.output()
  const [since = ""] = [...output.matchAll(/"since_start":\{[^}]*\}/g)].at(-1) ?? []
  const written = [...output.matchAll(/"rows_written":(\d+),"rows_read"/g)].map(([, rows]) => Number(rows))
  const d1 = Object.entries(D1_TABLES).map(([table, rows]) => {
    const [found] = d1Rows(server.state, `SELECT count(*) AS count FROM ${table}`)
    return Number(found.count) * rows
  })
  const bytes = lastCount(output, "bytes")
  const lines = [
    // The session, its file, and one request per prompt.
    ["requests to the Worker", turns + 2, PRICES.worker_request],
    ["processor time, ms (at most)", cpu, PRICES.cpu_ms],
    ["requests to the object", lastCount(since, "requests"), PRICES.object_request],
    ["object, GB-s", turns * Number(flags.seconds) * OBJECT_GB, PRICES.object_gb_second],
    ["rows the object read", lastCount(since, "read"), PRICES.row_read],
    ["rows the object wrote", lastCount(since, "written"), PRICES.row_written],
    ["rows of D1 (at least)", d1.reduce((sum, rows) => sum + rows, 0), PRICES.row_written],
    ["queue operations", turns * QUEUE_OPERATIONS, PRICES.queue_operation],
    ["object's storage, GB for a month", bytes / 1e9, PRICES.object_gb_month],
  ]
  let sum = 0
  console.log(`${turns} turns, half of them with a tool call; prices of 2026-11-23`)
  for (const [label, count, price] of lines) {
    sum += count * price
    const shown = count < 1 ? count.toFixed(6) : count.toFixed(0)
    console.log(`${label.padEnd(34)}${shown.padStart(12)}  $ ${(count * price).toFixed(7)}`)
  }
  console.log(`${"all".padEnd(46)}  $ ${sum.toFixed(7)}`)
  const text = written.filter((_, index) => index % 2 === 0).slice(1)
  const tool = written.filter((_, index) => index % 2 === 1)
  const most = Math.max(...text)
  console.log(
    `rows written: at most ${most} by a text turn, at most ${Math.max(...tool) - Math.min(...text)} more by its tool call`,
  )
} finally {
  await server.dispose()
  await api.close()
}
process.exit(0)
