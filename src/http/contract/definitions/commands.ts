// Rows of the route table: the slash commands that a tenant stores for its sessions.
import { Command, CreateCommand, PutCommand } from "../../../schemas/api/commands.ts"
import { CommandName } from "../../../schemas/sdk/options/commands.ts"
import { definitionRows } from "./definition-rows.ts"

export const commandRows = definitionRows({
  id: "Command",
  noun: "command",
  path: "commands",
  tag: "commands",
  name: CommandName,
  create: CreateCommand,
  put: PutCommand,
  shown: Command,
  about:
    "Prompts in every session of the tenant can call it; `options.commands` of a session take precedence over stored commands.",
  example: {
    name: "changelog",
    description: "Write a changelog entry",
    template: "Write one line for the changelog of version $1. What changed: $ARGUMENTS",
  },
})
