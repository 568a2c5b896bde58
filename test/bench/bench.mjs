// What Perch adds to a model that answers at once, compared with a bare loop on @anthropic-ai/sdk, in one table: times,
// sessions at once, memory, rows written, and what each format of a stream costs. It starts all that it needs, and ends it.
//   npm run bench [-- --rounds 5 --levels 1,4,16,64,256]
// A tool turn is one model request with one Read of a kilobyte; its time is that of a POST with 100 of them in a row, from
// the request to the result on its stream, over 100, the median of the rounds. Times vary with the machine and with what
// else runs on it, on a virtual machine also with what runs on its host: compare the ratios.
import fs from "node:fs"
import os from "node:os"
import { parseArgs } from "node:util"
import { PerchClient } from "../support/server/client.ts"
import { startServer } from "../support/server/server.ts"
import { bareTarget } from "./bare-loop.mjs"
import { figuresOf } from "./figures.mjs"
import { idleCosts } from "./idle.mjs"
import { startLoopApi } from "./loop-api.mjs"
import { perchTarget } from "./perch-loop.mjs"
import { recordedCosts } from "./recordings/recorded.mjs"
import { rowsWritten } from "./rows.mjs"
import { viewCosts } from "./views/views.mjs"

const { values: flags } = parseArgs({
  options: { rounds: { type: "string", default: "5" }, levels: { type: "string", default: "1,4,16,64,256" } },
})
const LIMIT_MS = 6 * 60_000
/** After this time no further level of concurrent sessions is started. */
const LEVELS_UNTIL_MS = 3.5 * 60_000
const asked = { rounds: Number(flags.rounds), levels: flags.levels.split(",").map(Number), until: LEVELS_UNTIL_MS }

// Everything that was started ends with this process, however it ends.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(130))
setTimeout(() => {
  console.error(`bench: not done within ${LIMIT_MS / 60_000} minutes`)
  process.exit(1)
}, LIMIT_MS).unref()

const WIDTHS = [36, 11, 11, 9]
const line = (...cells) =>
  console.log(
    cells.map((cell, index) => (index === 0 ? cell.padEnd(WIDTHS[0]) : cell.padStart(WIDTHS[index]))).join(""),
  )
const shown = (value) => (value === null ? "-" : value >= 100 ? value.toFixed(0) : value.toFixed(2))

/**
 * Processor time since the machine started: the time that was requested, and the part of it that the host gave to other
 * guests.
 */
const cpuTimes = () => {
  const times = /^cpu +(.*)/.exec(os.platform() === "linux" ? fs.readFileSync("/proc/stat", "utf8") : "")?.[1]
  if (times === undefined) return null
  const [user, nice, system, , , irq, softirq, stolen] = times.split(" ").map(Number)
  return { wanted: user + nice + system + irq + softirq + stolen, stolen }
}
const stolenSince = (before) => {
  const now = cpuTimes()
  if (before === null || now === null) return ""
  const share = (now.stolen - before.stolen) / Math.max(now.wanted - before.wanted, 1)
  return `, ${(share * 100).toFixed(0)} % of its processor time stolen by other guests of the host`
}

const load = () => os.loadavg()[0].toFixed(1)
const began = performance.now()
const times = cpuTimes()
const cpus = os.cpus()
console.log(
  `${cpus.length} cores (${cpus[0]?.model.trim()}), ${Math.round(os.totalmem() / 2 ** 30)} GB, Node ${process.version}, load ${load()}`,
)

const api = await startLoopApi()
let server
try {
  const bare = new Map()
  for await (const [label, value] of figuresOf(bareTarget(api.url), api, asked)) bare.set(label, value)
  server = await startServer({ apiUrl: api.url, env: { PERCH_FETCH_ALLOW: "127.0.0.1" } })
  line("", "bare loop", "perch", "ratio")
  for await (const [label, value] of figuresOf(perchTarget(server), api, asked)) {
    const floor = bare.get(label) ?? null
    line(label, shown(floor), shown(value), floor === null ? "" : (value / floor).toFixed(2))
  }
  for (const [label, value] of await idleCosts(perchTarget(server))) line(label, "-", shown(value))
  for (const [label, value] of await recordedCosts(perchTarget(server), new PerchClient(server), asked.rounds))
    line(label, "-", shown(value))
  await server.dispose()
  const rows = await rowsWritten(api.url)
  line("rows written, text turn", "-", String(rows.text))
  line("rows written, step with Read", "-", rows.read)
  line("rows written, recorded Read", "-", rows.recorded)
  line("rows written, step with Write", "-", rows.write)
  line("rows written, step with Bash", "-", rows.bash)
  line("ms per 1,000 events of a stream", "sdk", "this view", "ratio")
  const views = await viewCosts()
  for (const { format, ms } of views)
    line(`format=${format}`, shown(views[0].ms), shown(ms), (ms / views[0].ms).toFixed(1))
  console.log(`${((performance.now() - began) / 1000).toFixed(0)} s, load ${load()} at the end${stolenSince(times)}`)
} finally {
  await server?.dispose()
  await api.close()
}
process.exit(0)
