// Receives a session and the actor; returns its commands as the API lists them, with the newest that the tenant has stored.
import type { Command } from "../../agent/commands/command.ts"
import type { Actor } from "../../schemas/access.ts"
import type { SessionCore } from "../core.ts"
import type { SessionCommandsReport } from "../../schemas/rpc/reports.ts"
import type { SessionCommand } from "../../schemas/api/commands.ts"

export const commandsReport = async (core: SessionCore, by: Actor | undefined): Promise<SessionCommandsReport> => {
  await core.definitions.refresh(by)
  const { all, notices } = core.commands.announce()
  return { data: all.map(entryOf), notices }
}

const entryOf = ({ name, description, argumentHint = "", source, aliases, agent, model }: Command): SessionCommand => ({
  name,
  description,
  argument_hint: argumentHint,
  source: source === "builtin" ? "built-in" : source,
  ...(aliases === undefined ? {} : { aliases }),
  ...(agent === undefined ? {} : { agent }),
  ...(model === undefined ? {} : { model }),
})
