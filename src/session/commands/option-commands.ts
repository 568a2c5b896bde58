// The commands of a session's options.
import type { Command } from "../../agent/commands/command.ts"
import type { CommandDefinition } from "../../schemas/sdk/options/commands.ts"
import type { SessionCore } from "../core.ts"

const NONE: ReadonlyArray<Command> = []

/** The same array for the same definitions: they are read at each turn. */
const made = new WeakMap<ReadonlyArray<CommandDefinition>, ReadonlyArray<Command>>()

export const optionCommands = ({ runningOptions: { commands } }: SessionCore): ReadonlyArray<Command> => {
  if (commands === undefined) return NONE
  const known = made.get(commands) ?? commands.map((definition) => definedCommand(definition, "options"))
  made.set(commands, known)
  return known
}

export const definedCommand = (
  { template, description = "", ...definition }: CommandDefinition,
  source: "options" | "stored",
): Command => ({ ...definition, description, source, body: { kind: "template", read: () => template } })
