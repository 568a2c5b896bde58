// What Perch adds to a model that answers at once, beside a bare loop on @anthropic-ai/sdk: times, throughput, rows written.
//   npm run bench [-- --rounds N --levels 1,4,16]
import { parseArgs } from "node:util"
import { eventually, PerchClient } from "../support/client.ts"
import { startServer } from "../support/server.ts"
import { bareTarget, MODEL } from "./bare-loop.mjs"
import { gapsOf, startLoopApi } from "./loop-api.mjs"

const { values: flags } = parseArgs({
  options: { rounds: { type: "string", default: "15" }, levels: { type: "string", default: "1,4,16" } },
})
const rounds = Number(flags.rounds)
const levels = flags.levels.split(",").map(Number)

const sorted = (list) => list.toSorted((a, b) => a - b)
const at = (list, share) => sorted(list)[Math.min(list.length - 1, Math.floor(list.length * share))]
const ms = (value) => `${value.toFixed(1)} ms`

let serial = 0
const loop = (count, tool = "Read") => {
  serial += 1
  const id = `bench${serial}`
  return { id, prompt: `[[loop:${id}:${count}:${tool}]] go` }
}

const perchTarget = (server) => {
  const client = new PerchClient(server)
  const options = {
    model: MODEL,
    permissionMode: "bypassPermissions",
    allowDangerouslySkipPermissions: true,
    includePartialMessages: true,
  }
  return {
    name: "perch",
    session: async ({ warm = true } = {}) => {
      let id = warm ? await client.createSession(options, { "/workspace/a.txt": "alpha\n" }) : undefined
      const turn = async (prompt) => {
        const began = performance.now()
        id ??= await client.createSession(options)
        const response = await client.request("POST", `/v1/sessions/${id}/query`, {
          json: { prompt },
          headers: { accept: "text/event-stream" },
          limitMs: 120_000,
        })
        let firstText
        await client.collect(response, {
          until: ({ type, event }) => {
            if (event?.delta?.type === "text_delta") firstText ??= performance.now() - began
            return type === "result"
          },
        })
        return { firstText, result: performance.now() - began }
      }
      return turn
    },
  }
}

/** label → value of one target, in the order of the table. */
const measure = async (target, api) => {
  const figures = new Map()
  const cold = []
  for (let round = 0; round < rounds; round += 1) {
    const turn = await target.session({ warm: false })
    cold.push((await turn(loop(0).prompt)).firstText)
  }
  figures.set("first text, new session (median)", ms(at(cold, 0.5)))

  const turn = await target.session()
  await turn(loop(0).prompt)
  const warm = []
  for (let round = 0; round < rounds * 2; round += 1) warm.push((await turn(loop(0).prompt)).firstText)
  figures.set("first text, warm session (median)", ms(at(warm, 0.5)))

  const hundred = loop(100)
  await turn(hundred.prompt)
  const gaps = gapsOf(api.runs.get(hundred.id))
  figures.set("gap per tool turn, 100 Reads (median)", ms(at(gaps, 0.5)))
  figures.set("gap per tool turn, 100 Reads (95 %)", ms(at(gaps, 0.95)))

  for (const level of levels) {
    const turns = await Promise.all(Array.from({ length: level }, () => target.session()))
    await Promise.all(turns.map((one) => one(loop(0).prompt)))
    const began = performance.now()
    await Promise.all(turns.map((one) => one(loop(20).prompt)))
    const seconds = (performance.now() - began) / 1000
    figures.set(
      `tool turns per second, ${level} session${level > 1 ? "s" : ""}`,
      `${Math.round((level * 20) / seconds)}/s`,
    )
  }
  return figures
}

/** Rows that each kind of turn wrote, as the session object says it in its debug log. */
const rowsWritten = async (apiUrl) => {
  const server = await startServer({ apiUrl, env: { PERCH_LOG: "debug" } })
  try {
    const turn = await perchTarget(server).session()
    await turn(loop(0).prompt)
    const calls = 20
    for (const prompt of [loop(0), loop(calls, "Read"), loop(calls, "Write"), loop(calls, "Bash")])
      await turn(prompt.prompt)
    const rows = await eventually(async () => {
      const counts = [...server.output().matchAll(/"rows_written":(\d+)/g)].map(([, count]) => Number(count))
      return counts.length === 5 ? counts : undefined
    })
    const [, text, read, write, bash] = rows
    const perCall = (total) => ((total - text) / calls).toFixed(1)
    return { text, read: perCall(read), write: perCall(write), bash: perCall(bash) }
  } finally {
    await server.dispose()
  }
}

const api = await startLoopApi()
let server
try {
  server = await startServer({ apiUrl: api.url })
  const targets = [bareTarget(api.url), perchTarget(server)]
  const columns = []
  for (const target of targets) columns.push({ name: target.name, figures: await measure(target, api) })
  await server.dispose()
  const rows = await rowsWritten(api.url)

  const width = 42
  console.log(["".padEnd(width), ...columns.map(({ name }) => name.padStart(12))].join(""))
  for (const label of columns[0].figures.keys()) {
    console.log([label.padEnd(width), ...columns.map(({ figures }) => figures.get(label).padStart(12))].join(""))
  }
  console.log(
    `rows written: ${rows.text} per text turn; per call ${rows.read} Read, ${rows.write} Write, ${rows.bash} Bash`,
  )
} finally {
  await server?.dispose()
  await api.close()
}
