// A tenant's stored definitions: agents, commands, MCP servers and routers, each created, replaced, read, listed and deleted.
import { ask, tenant } from "./tour.ts"

const KINDS = [
  ["Agent", "listAgents", { description: "Reviews code.", prompt: "You review code." }],
  ["Command", "listCommands", { template: "Review $ARGUMENTS", description: "Reviews" }],
  ["McpServer", "listMcpServers", { type: "http", url: "https://mcp.example.com/mcp" }],
  ["Router", "listRouters", { enabled: true, complexityThreshold: 0.7 }],
] as const

export const definitionArea = async (): Promise<void> => {
  const { client: as } = await tenant()
  for (const [kind, list, json] of KINDS) {
    // The only name that a router may have.
    const params = { name: "default" }
    await ask(`create${kind}`, 201, { as, json: { ...params, ...json } })
    await ask(`delete${kind}`, 204, { as, params })
    for (const status of [201, 200]) await ask(`put${kind}`, status, { as, params, json })
    await ask(`get${kind}`, 200, { as, params })
    await ask(list, 200, { as })
  }
}
