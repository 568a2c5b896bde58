// Sessions of many turns with a tool each, on a real server: what they cost when they are young, older and old.
//   node_modules/.bin/node test/bench/long-session/long-session.mjs [--parts turns,memory] [--turns 1000] [--sessions 20,60]
// Parts: `turns`, `memory`, `compactions` and `pages`; each file of that name says what it prints. `--sessions` are groups of
// `memory`, one after the other. `compactions` and `pages` are of `--turns` turns.
import { parseArgs } from "node:util"
import { startServer } from "../../support/server/server.ts"
import { startLoopApi } from "../loop-api.mjs"
import { perchTarget } from "../perch-loop.mjs"
import { compactingObserver, measureCompactions } from "./compactions.mjs"
import { measureMemory } from "./memory.mjs"
import { holdingObserver, measurePages } from "./pages.mjs"
import { createPromptCache } from "./prompt-cache.mjs"
import { measureTurns } from "./turns.mjs"

const { values: flags } = parseArgs({
  options: {
    parts: { type: "string", default: "turns,memory" },
    turns: { type: "string", default: "1000" },
    sessions: { type: "string", default: "20,60" },
    "inspect-port": { type: "string", default: "8946" },
  },
})
const PARTS = {
  turns: { run: measureTurns, observer: createPromptCache },
  memory: { run: measureMemory },
  compactions: { run: measureCompactions, observer: compactingObserver },
  pages: { run: measurePages, observer: holdingObserver },
}

for (const name of flags.parts.split(",")) {
  const part = PARTS[name]
  if (part === undefined)
    throw new Error(`--parts: there is no part ${name}; there are ${Object.keys(PARTS).join(", ")}`)
  const observer = part.observer?.()
  const api = await startLoopApi(observer)
  const server = await startServer({
    apiUrl: api.url,
    // Counting the rows read uses memory.
    env: { PERCH_LOG: name === "memory" ? "quiet" : "debug" },
    args: ["--inspect", "--inspect-port", flags["inspect-port"]],
  })
  try {
    const counts = flags.sessions.split(",").map(Number)
    await part.run({ api, server, observer, target: perchTarget(server), turns: Number(flags.turns), counts })
  } finally {
    await server.dispose()
    await api.close()
  }
}
process.exit(0)
