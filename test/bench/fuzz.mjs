// Fuzzes a server of its own: mutated control frames over sockets, a new session every 500, and mutated REST bodies.
//   node_modules/.bin/node test/bench/fuzz.mjs [--frames 10000] [--bodies 3000] [--seed N]
// Prints the seed, the sums, and each kind of fault with the shortest text that shows it; exit code 1 when there is one.
import { parseArgs } from "node:util"
import { createFakeApi } from "../support/session/scripted-api.mjs"
import { startServer } from "../support/server/server.ts"
import { anySeed, fuzzRest, fuzzSocket, shortest } from "./fuzz.ts"
import { SCHEMA_REQUEST } from "./fuzz-frames.ts"
import { randomFrom } from "./random.ts"

const { values: flags } = parseArgs({
  options: {
    frames: { type: "string", default: "10000" },
    bodies: { type: "string", default: "3000" },
    seed: { type: "string" },
  },
})
const seed = flags.seed === undefined ? anySeed() : Number(flags.seed)
const random = randomFrom(seed)
const SESSION = 500
console.log(`seed ${seed}`)

const sums = {}
const faults = []
const add = ({ sums: more, faults: found }) => {
  for (const [name, count] of Object.entries(more)) sums[name] = (sums[name] ?? 0) + count
  faults.push(...found)
}

const api = await createFakeApi()
let server
const began = performance.now()
try {
  server = await startServer({ apiUrl: api.url })
  const fuzzed = { server, api, random }
  for (let left = Number(flags.frames); left > 0; left -= SESSION) {
    const count = Math.min(SESSION, left)
    add(await fuzzSocket(fuzzed, Math.ceil(count * 0.95)))
    add(await fuzzSocket(fuzzed, Math.floor(count * 0.05), SCHEMA_REQUEST))
  }
  add(await fuzzRest(fuzzed, Number(flags.bodies)))
} finally {
  await server?.dispose()
  await api.close()
}
console.log(`${JSON.stringify(sums)} in ${((performance.now() - began) / 1000).toFixed(1)} s`)
for (const { what, text, times } of shortest(faults)) console.log(`FAULT ${times} x ${what}\n  ${text.slice(0, 1500)}`)
console.log(faults.length === 0 ? "PASS" : `FAIL: ${faults.length} faults`)
process.exit(faults.length === 0 ? 0 : 1)
