// The route table: every path of the API with its parameters, body and answers. `http/handle.ts` validates requests by it, and
// `http/openapi/document.ts` documents it.
import * as sessions from "./sessions.ts"
import * as turns from "./turns.ts"
import * as events from "./events.ts"
import * as files from "./files.ts"
import * as catalogue from "./catalogue.ts"
import * as agentRuns from "./agent-runs.ts"
import * as signIn from "./clients/sign-in.ts"
import * as agUi from "./clients/ag-ui.ts"
import * as config from "./definitions/config.ts"
import { agentRows } from "./definitions/agents.ts"
import { commandRows } from "./definitions/commands.ts"
import { routerRows } from "./definitions/routers.ts"
import { mcpServerRows } from "./definitions/mcp-servers.ts"
import * as opencode from "./clients/opencode.ts"
import * as permissions from "./definitions/permissions.ts"
import * as hooks from "./hooks.ts"
import * as mcp from "./mcp.ts"
import * as rebuild from "./rebuild.ts"
import * as webhooks from "./webhooks.ts"
import * as workflows from "./workflows.ts"
import * as backup from "./backup.ts"
import * as recordings from "./recordings.ts"
import * as server from "./server.ts"

export const contract = {
  ...sessions,
  ...turns,
  ...agentRuns,
  ...events,
  ...files,
  ...catalogue,
  listAgents: agentRows.list,
  createAgent: agentRows.create,
  getAgent: agentRows.read,
  putAgent: agentRows.put,
  deleteAgent: agentRows.remove,
  listCommands: commandRows.list,
  createCommand: commandRows.create,
  getCommand: commandRows.read,
  putCommand: commandRows.put,
  deleteCommand: commandRows.remove,
  listRouters: routerRows.list,
  createRouter: routerRows.create,
  getRouter: routerRows.read,
  putRouter: routerRows.put,
  deleteRouter: routerRows.remove,
  listMcpServers: mcpServerRows.list,
  createMcpServer: mcpServerRows.create,
  getMcpServer: mcpServerRows.read,
  putMcpServer: mcpServerRows.put,
  deleteMcpServer: mcpServerRows.remove,
  ...signIn,
  ...agUi,
  ...config,
  ...opencode,
  ...permissions,
  ...hooks,
  ...webhooks,
  ...workflows,
  ...mcp,
  ...rebuild,
  ...recordings,
  ...backup,
  ...server,
}
