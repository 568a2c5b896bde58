// The cost of a text turn in a session that has agents, commands or an MCP server and uses none of them, compared with a
// session without. The sessions alternate, so that other load on the machine affects all figures equally.
import { startMcpServer } from "../support/server/mcp-server.ts"
import { loop, median } from "./figures.mjs"

const TURNS = 40

const numbers = Array.from({ length: 10 }, (_, index) => index)
const agents = Object.fromEntries(
  numbers.map((n) => [`idle-${n}`, { description: `Does the work of kind ${n}.`, prompt: "You do one kind of work." }]),
)
const commands = numbers.map((n) => ({ name: `idle-${n}`, template: "Do $1 of $ARGUMENTS" }))

/** `[label, milliseconds]` of each kind of session. */
export const idleCosts = async (target) => {
  const mcp = await startMcpServer()
  try {
    const kinds = [
      ["text turn, nothing defined, ms", {}],
      ["  10 agents, ms", { agents }],
      ["  10 commands, ms", { commands }],
      ["  an MCP server, ms", { mcpServers: { idle: { type: "http", url: mcp.http } } }],
    ]
    const lanes = []
    for (const [label, extra] of kinds) {
      const { turn } = await target.session({ extra })
      // The first turn connects to the server.
      await turn(loop(0).prompt)
      lanes.push({ label, turn, times: [] })
    }
    for (let left = TURNS; left > 0; left -= 1) {
      for (const { turn, times } of lanes) times.push((await turn(loop(0).prompt)).result)
    }
    return lanes.map(({ label, times }) => [label, median(times)])
  } finally {
    await mcp.close()
  }
}
