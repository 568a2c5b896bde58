// How long an interrupt takes, from the client's request over the socket to the turn's result, in four states.
//   node_modules/.bin/node test/bench/interrupts.mjs [--tries 50]
// Prints median and worst of each; exit code 1 when one took a second.
import { parseArgs } from "node:util"
import { ApiLog } from "../support/session/api-log.ts"
import { createFakeApi } from "../support/session/scripted-api.mjs"
import { startServer } from "../support/server/server.ts"
import { interruptTimes, STATES } from "./interrupts.ts"

const { values: flags } = parseArgs({ options: { tries: { type: "string", default: "50" } } })
const LIMIT_MS = 1000

const fake = await createFakeApi()
let server
let slow = false
try {
  server = await startServer({ apiUrl: fake.url })
  const place = { server, api: new ApiLog(fake.url) }
  for (const state of STATES) {
    const times = (await interruptTimes(place, state, Number(flags.tries))).toSorted((a, b) => a - b)
    const median = times[Math.floor(times.length / 2)]
    const worst = times.at(-1)
    slow ||= worst >= LIMIT_MS
    console.log(
      `${state.padEnd(33)} median ${median.toFixed(1).padStart(6)} ms, worst ${worst.toFixed(1).padStart(6)} ms`,
    )
  }
} finally {
  await server?.dispose()
  await fake.close()
}
console.log(slow ? `FAIL: an interrupt took ${LIMIT_MS} ms or more` : "PASS")
process.exit(slow ? 1 : 0)
