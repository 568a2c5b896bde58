// What a slash command is, wherever it comes from, and the book of those that a session has.
// Invariant: a name is one command; where several sources have it, the first source that the session lists wins.
import type { HttpHookMatchers } from "../../schemas/sdk/hooks/http-hooks.ts"
import type * as Effect from "effect/Effect"
import type { Effort } from "../../schemas/sdk/options/options.ts"
import type { SlashCommand } from "../../schemas/sdk/messages/message-values.ts"
import type { Block } from "../transcript/transcript.ts"

import type { FilledTemplate } from "./template.ts"

/** Where a command comes from: `workspace` is a file of `.claude/commands`, `stored` what the tenant keeps. */
export type CommandSource = "builtin" | "options" | "stored" | "workspace" | "skill" | "mcp"

/** Why a command can't run now: one sentence for the person who typed it. */
export interface CommandFault {
  readonly fault: string
}

/**
 * What a command does. `template`: its text, with arguments and shell filled in, is the prompt. `prompt`: `expand` makes the
 * prompt of what follows the name. `local`: `answer` is the whole turn, and the model is not asked; with `restarts`
 * the conversation begins anew, from a summary or from nothing.
 */
export type CommandBody =
  | {
      readonly kind: "template"
      /** Called when the command runs, so that listing commands reads no bodies. */
      readonly read: () => string | CommandFault
      /** Arguments that no placeholder takes are appended to the text. */
      readonly appendsArguments?: true
    }
  | {
      readonly kind: "prompt"
      readonly expand: (args: string) => Effect.Effect<ReadonlyArray<Block> | FilledTemplate | CommandFault>
    }
  | { readonly kind: "local"; readonly answer: (args: string) => string; readonly restarts?: "compact" | "clear" }

export interface Command {
  /** Without its slash. */
  readonly name: string
  readonly description: string
  readonly argumentHint?: string
  readonly aliases?: ReadonlyArray<string>
  readonly source: CommandSource
  /** The model of the command's turn. */
  readonly model?: string
  /** The effort of the command's turn. */
  readonly effort?: Effort
  /** The subagent that carries the prompt out, with the command's model and effort. */
  readonly agent?: string
  /** Rules that allow calls while the command's turn runs. */
  readonly allowedTools?: ReadonlyArray<string>
  /** Hooks that are called while the command's turn runs. */
  readonly hooks?: HttpHookMatchers
  /** What of its file does not hold, a sentence each without the file's name. */
  readonly notices?: ReadonlyArray<string>
  readonly body: CommandBody
}

/** The commands of a session at one moment. */
export class CommandBook {
  readonly #byName = new Map<string, Command>()
  readonly #aliases = new Map<string, Command>()
  /** What is wrong with commands that are left out, a sentence each. */
  readonly notices: ReadonlyArray<string>

  constructor(commands: Iterable<Command> = [], notices: ReadonlyArray<string> = []) {
    this.notices = notices
    for (const command of commands) {
      if (this.#byName.has(command.name)) continue
      this.#byName.set(command.name, command)
      for (const alias of command.aliases ?? []) if (!this.#aliases.has(alias)) this.#aliases.set(alias, command)
    }
  }

  find(name: string): Command | undefined {
    return this.#byName.get(name) ?? this.#aliases.get(name)
  }

  get names(): ReadonlyArray<string> {
    return [...this.#byName.keys()]
  }

  get all(): ReadonlyArray<Command> {
    return [...this.#byName.values()]
  }

  /** As clients list them. */
  get infos(): ReadonlyArray<SlashCommand> {
    return this.all.map(commandInfo)
  }
}

const commandInfo = ({ name, description, argumentHint = "", aliases, source }: Command): SlashCommand => ({
  name,
  description,
  argumentHint,
  ...(aliases === undefined ? {} : { aliases }),
  ...(source === "builtin" ? { builtin: true } : {}),
})
