// A slash command as apps define it.
// Invariant: a decoded command can be called by its name, and replaces none of Perch's own local commands.
import * as Schema from "effect/Schema"
import { AgentName } from "./agents.ts"

/** The names of commands that the session answers itself. */
const RESERVED: ReadonlySet<string> = new Set(["clear", "compact", "context", "cost", "help"])

const opt = Schema.optionalKey

/** The name after the slash: it has no white space and does not begin with another slash. */
export const CommandName = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9_][A-Za-z0-9_.:-]{0,63}$/, {
    message: "Expected a name of 1 to 64 letters, digits and _ . : - that does not start with . : or -",
  }),
  Schema.makeFilter((name: string) => !RESERVED.has(name) || `${name} is a built-in command of Perch`),
)

/**
 * `template` is the prompt that the command becomes: `$1` is its first argument, `$ARGUMENTS` all of them, and each
 * !`script` the output of that script.
 */
export const COMMAND_FIELDS = {
  template: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(100_000)),
  description: opt(Schema.String.check(Schema.isMaxLength(2000))),
  /** The subagent that executes the command. */
  agent: opt(AgentName),
  /** The model of the command's turn. */
  model: opt(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200))),
}

export const CommandDefinition = Schema.Struct({ name: CommandName, ...COMMAND_FIELDS })
export type CommandDefinition = typeof CommandDefinition.Type

/** A command as it is stored under its name. */
export const StoredCommand = Schema.Struct(COMMAND_FIELDS)

/** The commands of a session: at most 100, each name once. */
export const CommandDefinitions = Schema.Array(CommandDefinition).check(
  Schema.isMaxLength(100),
  Schema.makeFilter((commands: ReadonlyArray<CommandDefinition>) => {
    const names = commands.map(({ name }) => name)
    const twice = names.find((name, index) => names.indexOf(name) !== index)
    return twice === undefined || `The name ${twice} appears twice`
  }),
)
