// Rows of the route table: the agents that a tenant stores for its sessions.
import { Agent, CreateAgent, PutAgent } from "../../../schemas/api/agents.ts"
import { AgentName } from "../../../schemas/sdk/options/agents.ts"
import { definitionRows } from "./definition-rows.ts"

export const agentRows = definitionRows({
  id: "Agent",
  noun: "agent",
  path: "agents",
  tag: "agents",
  name: AgentName,
  create: CreateAgent,
  put: PutAgent,
  shown: Agent,
  about:
    "Every session of the tenant can start it by its name; `options.agents` of a session take precedence over stored agents.",
  example: {
    name: "reviewer",
    description: "Reviews a change for bugs. Use it after every edit of code.",
    prompt: "You review changes. Report bugs only, the worst first.",
    tools: ["Read", "Grep", "Glob"],
    model: "haiku",
  },
})
