// The commands of a session's options, and those that its tenant stores.
// Invariant: the same definitions return the same array, because it is read at each turn.
import type { Command } from "../../agent/commands/command.ts"
import { type CommandDefinition, StoredCommand } from "../../schemas/sdk/options/commands.ts"
import type { SessionCore } from "../core.ts"
import { decodedDefinitions } from "../definitions/decoded-definitions.ts"

const NONE: ReadonlyArray<Command> = []

/** Commands, by the definitions that they were made from. */
const commandsByDefinitions = new WeakMap<object, ReadonlyArray<Command>>()

export const optionCommands = ({ runningOptions: { commands } }: SessionCore): ReadonlyArray<Command> => {
  if (commands === undefined) return NONE
  const known =
    commandsByDefinitions.get(commands) ?? commands.map((definition) => definedCommand(definition, "options"))
  commandsByDefinitions.set(commands, known)
  return known
}

export const storedCommands = ({ definitions }: SessionCore): ReadonlyArray<Command> => {
  const stored = definitions.stored("command")
  const known = commandsByDefinitions.get(stored)
  if (known !== undefined) return known
  const values = decodedDefinitions("command", StoredCommand, stored)
  const commands = Object.entries(values).map(([name, value]) => definedCommand({ ...value, name }, "stored"))
  commandsByDefinitions.set(stored, commands)
  return commands
}

const definedCommand = (
  { template, description = "", ...definition }: CommandDefinition,
  source: "options" | "stored",
): Command => ({ ...definition, description, source, body: { kind: "template", read: () => template } })
