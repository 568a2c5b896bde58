// The rows that each kind of turn writes, as the session object reports them in its debug log.
import { eventually } from "../support/server/client.ts"
import { startServer } from "../support/server/server.ts"
import { loop } from "./figures.mjs"
import { perchTarget } from "./perch-loop.mjs"

const CALLS = 20

/** Rows of a text turn, and of one step with a call of each tool. */
export const rowsWritten = async (apiUrl) => {
  const server = await startServer({ apiUrl, env: { PERCH_LOG: "debug" } })
  try {
    const { turn } = await perchTarget(server).session()
    await turn(loop(0).prompt)
    for (const prompt of [loop(0), loop(CALLS, "Read"), loop(CALLS, "Write"), loop(CALLS, "Bash")])
      await turn(prompt.prompt)
    const recording = await perchTarget(server).session({ extra: { runtime: { mode: "record" } } })
    for (const prompt of [loop(0), loop(0), loop(CALLS, "Read")]) await recording.turn(prompt.prompt)
    const counts = await eventually(async () => {
      const found = [...server.output().matchAll(/"rows_written":(\d+)/g)].map(([, count]) => Number(count))
      return found.length === 8 ? found : undefined
    })
    const each = (total, text) => ((total - text) / CALLS).toFixed(1)
    const [, text, ...calls] = counts.slice(0, 5)
    const [read, write, bash] = calls.map((total) => each(total, text))
    return { text, read, write, bash, recorded: each(counts[7], counts[6]) }
  } finally {
    await server.dispose()
  }
}
