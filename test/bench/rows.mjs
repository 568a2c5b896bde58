// Rows that each kind of turn writes, as the session object reports it in its debug log.
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
    const [, text, ...calls] = await eventually(async () => {
      const counts = [...server.output().matchAll(/"rows_written":(\d+)/g)].map(([, count]) => Number(count))
      return counts.length === 5 ? counts : undefined
    })
    const [read, write, bash] = calls.map((total) => ((total - text) / CALLS).toFixed(1))
    return { text, read, write, bash }
  } finally {
    await server.dispose()
  }
}
