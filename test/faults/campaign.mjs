// Breaks a server in every way that this machine allows, and compares what is left with what must be.
//   npm run test:faults -- [--kills 200] [--disconnects 1000] [--outages 60,200] [--dead on|off] [--disk on|off] [--seed N]
// Phases: kills at named and random moments with faults of the model; clients that leave, while D1 and the Queue are gone;
// a queue that gives up; a disk that is full. After each: log, D1, files, costs and what happened outside. Exit code 1 when anything differs.
import { randomBytes } from "node:crypto"
import { parseArgs } from "node:util"
import { createFakeApi } from "../support/session/scripted-api.mjs"
import { PerchClient } from "../support/server/client.ts"
import { randomFrom } from "../bench/random.ts"
import { buryHooks } from "./dead-letters.ts"
import { compareStream, disconnect } from "./disconnects.ts"
import { fillDisk } from "./full-disk.ts"
import { FaultyServer } from "./faulty-server.ts"
import { Counter } from "./jobs.ts"
import { kill } from "./kills.ts"
import { rebuildAll, verify, wakeAll } from "./verify.ts"

const { values: flags } = parseArgs({
  options: {
    kills: { type: "string", default: "200" },
    disconnects: { type: "string", default: "1000" },
    outages: { type: "string", default: "60,200" },
    dead: { type: "string", default: "on" },
    disk: { type: "string", default: "on" },
    seed: { type: "string", default: String(Date.now() % 100_000) },
  },
})
const began = Date.now()
const say = (line) => console.log(`${String(Math.round((Date.now() - began) / 1000)).padStart(5)} s  ${line}`)
const problems = []
const note = (found) => {
  for (const problem of found) say(`PROBLEM ${problem}`)
  problems.push(...found)
}

const api = await createFakeApi()
const counter = await Counter.start()
const key = `faults-${randomBytes(20).toString("hex")}`
const world = { api, counter, random: randomFrom(Number(flags.seed)) }
say(`seed ${flags.seed}`)

/** Waits for D1 and compares every session; then all rows are written anew and compared once more. */
const compare = async (server, jobs, limitMs) => {
  const perch = new PerchClient(server)
  await wakeAll(server, jobs)
  const totals = { events: 0, hookRows: 0, usd: 0 }
  for (let from = 0; from < jobs.length; from += 20) {
    const checks = jobs.slice(from, from + 20).map((job) => verify(perch, server.state, job, counter, limitMs))
    for (const check of await Promise.allSettled(checks)) {
      if (check.status === "rejected") {
        note([String(check.reason)])
        continue
      }
      note(check.value.problems)
      totals.events += check.value.events
      totals.hookRows += check.value.hookRows
      totals.usd += check.value.usd
    }
  }
  const outside = [...counter.counts.values()]
  say(
    `${jobs.length} sessions: ${totals.events} events, ${totals.hookRows} hook events, $${totals.usd.toFixed(4)}; ` +
      `${outside.length} outside calls, the most often ${Math.max(0, ...outside)} times`,
  )
  const rebuilt = await rebuildAll(perch, server.state)
  say(`rebuilt ${rebuilt.sessions} sessions: ${rebuilt.rows} rows, ${rebuilt.differ.length} differ`)
  note(rebuilt.differ.slice(0, 5).map((row) => `differs after a rebuild: ${row.slice(0, 300)}`))
}

const killPhase = async (rounds) => {
  const server = await FaultyServer.start({ key, apiUrl: api.url })
  try {
    const { jobs, kills, refused } = await kill({ server, world, rounds, say })
    note(refused)
    for (const [point, count] of [...kills].toSorted()) say(`  ${String(count).padStart(4)}  ${point}`)
    say(`${server.kills} kills, ${server.starts} starts`)
    await compare(server, jobs, 120_000)
  } finally {
    await server.dispose()
  }
}

const disconnectPhase = async (count, outages) => {
  const server = await FaultyServer.start({ key, apiUrl: api.url })
  const perch = new PerchClient(server)
  const jobs = []
  const leave = async (share) => {
    const left = await disconnect(perch, world, { count: share, atOnce: 8, say })
    note(left.problems)
    say(`cut: ${JSON.stringify(left.cuts)} on ${left.jobs.length} sessions`)
    jobs.push(...left.jobs)
  }
  try {
    const share = Math.ceil(count / Math.max(1, outages.length))
    if (outages.length === 0) await leave(count)
    for (const seconds of outages) {
      await server.set({ d1: true, queue: true })
      say(`D1 and the Queue are gone for ${seconds} s`)
      const from = Date.now()
      await leave(share)
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, from + seconds * 1000 - Date.now())))
      await server.set({ d1: false, queue: false })
      say(`they are back after ${Math.round((Date.now() - from) / 1000)} s`)
    }
    const back = Date.now()
    await compare(server, jobs, 330_000)
    say(`everything is in D1 ${Math.round((Date.now() - back) / 1000)} s after`)
    for (const job of jobs.slice(0, 10)) note(await compareStream(perch, job, 3))
  } finally {
    await server.dispose()
  }
}

try {
  if (Number(flags.kills) > 0) await killPhase(Number(flags.kills))
  const outages = flags.outages.split(",").filter(Boolean).map(Number)
  if (Number(flags.disconnects) > 0) await disconnectPhase(Number(flags.disconnects), outages)
  if (flags.dead === "on") note(await buryHooks({ key, api, counter, world, say }))
  if (flags.disk === "on") note(await fillDisk({ key, api, counter, world, say }))
} finally {
  await counter.close()
  await api.close()
}
say(problems.length === 0 ? "PASS" : `FAIL: ${problems.length} problems`)
process.exit(problems.length === 0 ? 0 : 1)
