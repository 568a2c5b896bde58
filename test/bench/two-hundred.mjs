// Many sessions at once: the scripted API holds every answer until all sessions' requests are open together.
//   node_modules/.bin/node test/bench/two-hundred.mjs [--sessions 200]
// Passes when each session ends in exactly one successful result. Prints the times; exit code 1 when one failed.
import { parseArgs } from "node:util"
import { PerchClient } from "../support/server/client.ts"
import { createFakeApi } from "../support/session/scripted-api.mjs"
import { promptFor, text } from "../support/session/scripts.ts"
import { startServer } from "../support/server/server.ts"

const { values: flags } = parseArgs({ options: { sessions: { type: "string", default: "200" } } })
const count = Number(flags.sessions)

const fake = await createFakeApi()
let server
let failed = 0
try {
  server = await startServer({ apiUrl: fake.url })
  const perch = new PerchClient(server)
  fake.set("together", [{ content: [text("All of us.")], hold: count }])
  const began = performance.now()
  const one = async () => {
    const id = await perch.createSession()
    await perch.submit(id, promptFor("together"))
    const events = await perch.eventsUntilResults(id, 1, 120_000)
    const results = events.filter(({ name }) => name.startsWith("sdk:result"))
    const fine = results.length === 1 && results[0].payload.result === "All of us."
    if (!fine) console.log(`session ${id}: ${JSON.stringify(results.map(({ payload }) => payload))}`)
    return fine
  }
  const outcomes = await Promise.allSettled(Array.from({ length: count }, one))
  for (const { reason } of outcomes.filter(({ status }) => status === "rejected").slice(0, 5))
    console.log(String(reason))
  failed = outcomes.filter((outcome) => outcome.value !== true).length
  const together = fake.log.filter(({ script }) => script === "together").length
  console.log(`${count} sessions, ${together} model requests, ${((performance.now() - began) / 1000).toFixed(1)} s`)
} finally {
  await server?.dispose()
  await fake.close()
}
console.log(
  failed === 0 ? `PASS: ${count} of ${count} sessions ended in one result` : `FAIL: ${failed} of ${count} sessions`,
)
process.exit(failed === 0 ? 0 : 1)
