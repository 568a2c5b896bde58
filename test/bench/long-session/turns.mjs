// The cost of a turn when its session is young, older and old: milliseconds from the prompt to the model's request (the median
// of ten turns), rows read and written, the request's size, and how much of it a simulated prompt cache has; the same after a
// pause in which the object was evicted, and after a restart.
import { setTimeout as delay } from "node:timers/promises"
import { eventually } from "../../support/server/client.ts"
import { loop, median } from "../figures.mjs"
import { EVICTED_AFTER_MS } from "./memory.mjs"
import { line } from "./table.mjs"

const NEIGHBOURS = 10

/** Runs one turn; returns the time until the model request, and its requests. */
export const measuredTurn = async (api, session) => {
  const { id, prompt } = loop(1)
  const began = performance.now()
  await session.turn(prompt)
  const asked = api.runs.get(id)
  api.runs.delete(id)
  const [first] = asked
  return { ms: first.arrived - began, first, last: asked.at(-1) }
}

/** The rows of the last turns, as the object reports them in its log. */
const rowsOf = async (server, name, wanted) =>
  eventually(async () => {
    const found = [...server.output().matchAll(new RegExp(`"${name}":(\\d+)`, "g"))].map(([, rows]) => Number(rows))
    return found.length >= wanted ? median(found.slice(-wanted)) : undefined
  })

export const measureTurns = async ({ api, server, target, turns }) => {
  const report = async (label, taken) => {
    const { first, last } = taken.at(-1)
    const share = (last.cached + first.cached) / (last.input + first.input)
    line(
      label,
      median(taken.map(({ ms }) => ms)).toFixed(1),
      String(await rowsOf(server, "rows_read", taken.length)),
      String(await rowsOf(server, "rows_written", taken.length)),
      (last.bytes / 1024).toFixed(0),
      `${(share * 100).toFixed(1)} %`,
    )
  }
  line("", "to model", "rows", "rows", "request", "of it")
  line("", "ms", "read", "written", "KB", "cached")
  const session = await target.session()
  let taken = []
  for (let done = 1; done <= turns; done += 1) {
    taken = [...taken, await measuredTurn(api, session)].slice(-NEIGHBOURS)
    if ([10, 100, 1000].includes(done) || done === turns) await report(`turn ${done}`, taken)
  }
  await delay(EVICTED_AFTER_MS)
  await report(`after ${EVICTED_AFTER_MS / 1000} s`, [await measuredTurn(api, session)])
  await server.restart()
  const other = await target.session()
  await measuredTurn(api, other)
  await delay(EVICTED_AFTER_MS)
  await report("after a restart", [await measuredTurn(api, session)])
}
