// The prompts of the session's remote MCP servers as commands: `/mcp__server__prompt arguments`. As in the official SDK,
// prompts of servers inside the client are no commands.
// Invariant: while servers and prompts stay the same, so does the array, so that reading it at each turn is cheap.
import type { Command } from "../../agent/commands/command.ts"
import type { ServerInUse } from "../../mcp/resources.ts"
import { expandPrompt, promptCommand, promptHint } from "../../mcp/prompts.ts"
import type { ConnectedMcp } from "../../mcp/client-server.ts"
import type { SessionCore } from "../core.ts"

const NONE: ReadonlyArray<Command> = []

/** The servers that a session's commands were last made from. A new connection or a new list of prompts is a new object. */
const lastCommands = new WeakMap<
  SessionCore,
  { readonly servers: ReadonlyArray<ConnectedMcp>; readonly commands: ReadonlyArray<Command> }
>()

export const mcpCommands = (core: SessionCore): ReadonlyArray<Command> => {
  const inUse = core.remoteMcp.inUse.filter(({ server }) => (server.prompts ?? []).length > 0)
  if (inUse.length === 0) return NONE
  const servers = inUse.map(({ server }) => server)
  const before = lastCommands.get(core)
  const isSame = before?.servers.length === servers.length && servers.every((one, at) => one === before.servers[at])
  if (before !== undefined && isSame) return before.commands
  const commands = inUse.flatMap(commandsOf)
  lastCommands.set(core, { servers, commands })
  return commands
}

const commandsOf = ({ server, pipe }: ServerInUse): ReadonlyArray<Command> =>
  (server.prompts ?? []).map((prompt) => ({
    name: promptCommand(server.name, prompt),
    description: prompt.description ?? prompt.title ?? "",
    argumentHint: promptHint(prompt),
    source: "mcp",
    body: { kind: "prompt", expand: (args) => expandPrompt(server.name, prompt, pipe, args) },
  }))
