// One session of many turns with a tool each, on a real server: what a turn costs when the session is young, older and old.
//   node test/bench/long-session/long-session.mjs [--turns 1000 --sessions 20]
// Prints for turn 10, 100, 1,000: milliseconds from the prompt to the model's request (the median of ten turns), rows read and
// written, the request's size, and how much of it a simulated prompt cache has; the same after a pause in which the object was
// evicted, and after a restart; then what so many sessions hold after a hundred turns, live and at rest.
import { setTimeout as delay } from "node:timers/promises"
import { parseArgs } from "node:util"
import { eventually } from "../../support/server/client.ts"
import { startServer } from "../../support/server/server.ts"
import { loop, median } from "../figures.mjs"
import { startLoopApi } from "../loop-api.mjs"
import { perchTarget } from "../perch-loop.mjs"
import { openHeap } from "./heap.mjs"
import { createPromptCache } from "./prompt-cache.mjs"

const { values: flags } = parseArgs({
  options: {
    turns: { type: "string", default: "1000" },
    sessions: { type: "string", default: "20" },
    "inspect-port": { type: "string", default: "8946" },
  },
})
const turns = Number(flags.turns)
const count = Number(flags.sessions)
const NEIGHBOURS = 10
/** workerd evicts an object after ten seconds without a request. */
const EVICTED_AFTER_MS = 14_000

const api = await startLoopApi(createPromptCache())
const server = await startServer({
  apiUrl: api.url,
  env: { PERCH_LOG: "debug" },
  args: ["--inspect", "--inspect-port", flags["inspect-port"]],
})
const target = perchTarget(server)

/** One turn; what it took until the model was asked, and what its requests were. */
const turn = async (session) => {
  const { id, prompt } = loop(1)
  const began = performance.now()
  await session.turn(prompt)
  const [first, last] = api.runs.get(id)
  api.runs.delete(id)
  return { ms: first.arrived - began, first, last }
}

/** Rows of the last turns, as the object reports them in its log. */
const rowsOf = async (name, wanted) =>
  eventually(async () => {
    const found = [...server.output().matchAll(new RegExp(`"${name}":(\\d+)`, "g"))].map(([, rows]) => Number(rows))
    return found.length >= wanted ? median(found.slice(-wanted)) : undefined
  })

const line = (...cells) =>
  console.log(cells.map((cell, at) => (at === 0 ? cell.padEnd(22) : cell.padStart(11))).join(""))

const report = async (label, taken) => {
  const { first, last } = taken.at(-1)
  const share = (last.cached + first.cached) / (last.input + first.input)
  line(
    label,
    median(taken.map(({ ms }) => ms)).toFixed(1),
    String(await rowsOf("rows_read", taken.length)),
    String(await rowsOf("rows_written", taken.length)),
    (last.bytes / 1024).toFixed(0),
    `${(share * 100).toFixed(1)} %`,
  )
}

try {
  line("", "to model", "rows", "rows", "request", "of it")
  line("", "ms", "read", "written", "KB", "cached")
  const session = await target.session()
  let taken = []
  for (let done = 1; done <= turns; done += 1) {
    taken = [...taken, await turn(session)].slice(-NEIGHBOURS)
    if ([10, 100, 1000].includes(done) || done === turns) await report(`turn ${done}`, taken)
  }
  await delay(EVICTED_AFTER_MS)
  await report(`after ${EVICTED_AFTER_MS / 1000} s`, [await turn(session)])
  await server.restart()
  const other = await target.session()
  await turn(other)
  await delay(EVICTED_AFTER_MS)
  await report("after a restart", [await turn(session)])

  const heap = await openHeap(/inspector at (\S+)/.exec(server.output())[1])
  const hundred = async () => {
    const one = await target.session()
    for (let left = 100; left > 0; left -= 1) await turn(one)
  }
  // What is compiled and cached once is there before.
  await hundred()
  await delay(EVICTED_AFTER_MS)
  const before = await heap.used()
  await Promise.all(Array.from({ length: count }, hundred))
  const kilobytes = async () => `${(((await heap.used()) - before) / count / 1024).toFixed(0)} KiB`
  line(`heap, ${count} sessions`, await kilobytes(), "each, live")
  await delay(EVICTED_AFTER_MS)
  line("", await kilobytes(), "each, at rest")
  heap.close()
} finally {
  await server.dispose()
  await api.close()
}
process.exit(0)
