// Kills the server (process group, -9) at random moments of a turn, starts it again and waits, with no client, for the end.
//   node_modules/.bin/node test/bench/kill-campaign.mjs [--rounds 10] [--seed 1]
// Each round must leave: one result, one tool_result per tool_use, a log without gaps, and a file that agrees with the
// result. Prints a line per round; exit code 1 when one failed.
import { setTimeout as delay } from "node:timers/promises"
import { parseArgs } from "node:util"
import { blocksOf, eventually, PerchClient } from "../support/client.ts"
import { createFakeApi } from "../support/scripted-api.mjs"
import { call, promptFor, text } from "../support/scripts.ts"
import { startServer } from "../support/server.ts"
import { randomFrom } from "./random.ts"

const { values: flags } = parseArgs({
  options: { rounds: { type: "string", default: "10" }, seed: { type: "string", default: "1" } },
})

/** What is wrong with a finished turn; nothing when all is well. */
const faultsOf = (events, file, bashId) => {
  const faults = []
  const blocks = events.flatMap(({ payload }) => (payload?.message === undefined ? [] : blocksOf(payload)))
  const uses = blocks.filter(({ type }) => type === "tool_use").map(({ id }) => id)
  const answers = blocks.filter(({ type }) => type === "tool_result")
  if (JSON.stringify(uses.toSorted()) !== JSON.stringify(answers.map((block) => block.tool_use_id).toSorted())) {
    faults.push(`${uses.length} tool_use, ${answers.length} tool_result`)
  }
  const results = events.filter(({ name }) => name.startsWith("sdk:result")).length
  if (results !== 1) faults.push(`${results} results`)
  const first = events[0]?.seq ?? 0
  if (events.some(({ seq }, index) => seq !== first + index)) faults.push("a gap in the log")
  if (file !== null && file !== "x\n") faults.push(`the file holds ${JSON.stringify(file)}`)
  // A death before the call was whole leaves no call: the model, asked to go on, may make it or not.
  const bash = answers.find((block) => block.tool_use_id === bashId)
  const done = bash !== undefined && bash.is_error !== true
  if (done !== (file !== null)) faults.push(`the call is ${done ? "" : "not "}done, but file ${JSON.stringify(file)}`)
  return faults
}

const random = randomFrom(Number(flags.seed))
const fake = await createFakeApi()
let server
let failed = 0
try {
  server = await startServer({ apiUrl: fake.url })
  const perch = new PerchClient(server)
  for (let round = 1; round <= Number(flags.rounds); round += 1) {
    const name = `campaign-${round}`
    const bash = call("Bash", { command: "echo x >> f; sleep 3", description: "Append a line" })
    fake.set(name, [
      { content: [text("word ".repeat(40)), bash], chunk: 10, delta_delay_ms: 25 },
      { content: [text("Done.")], delta_delay_ms: 25 },
    ])
    const id = await perch.createSession({ permissionMode: "bypassPermissions", allowDangerouslySkipPermissions: true })
    await perch.submit(id, promptFor(name))
    const wait = Math.round(random() * 3800)
    await delay(wait)
    const before = (await perch.events(id)).map(({ name: event }) => event).at(-1)
    await server.kill9()
    await server.restart()
    const began = performance.now()
    const events = await perch.eventsUntilResults(id, 1, 60_000)
    await eventually(async () => ((await perch.json("GET", `/v1/sessions/${id}`)).state === "idle" ? true : undefined))
    const file = await perch.getFile(id, "/workspace/f")
    const faults = faultsOf(events, file, bash.id)
    if (faults.length > 0) failed += 1
    const after = `ended ${((performance.now() - began) / 1000).toFixed(1)} s after the restart`
    console.log(
      `${String(round).padStart(3)}  killed at ${wait} ms (${before}), ${after}, f ${JSON.stringify(file)}: ${faults.join("; ") || "ok"}`,
    )
  }
} finally {
  await server?.dispose()
  await fake.close()
}
console.log(
  failed === 0 ? `PASS: ${flags.rounds} of ${flags.rounds} rounds` : `FAIL: ${failed} of ${flags.rounds} rounds`,
)
process.exit(failed === 0 ? 0 : 1)
