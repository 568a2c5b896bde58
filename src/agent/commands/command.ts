// The type of a slash command from any source, and the collection of a session's commands.
// Invariant: a name is one command; when several sources have it, the first source that the session lists wins.
import type { HttpHookMatchers } from "../../schemas/sdk/hooks/http-hooks.ts"
import type * as Effect from "effect/Effect"
import type { Effort } from "../../schemas/sdk/options/options.ts"
import type { SlashCommand } from "../../schemas/sdk/messages/message-values.ts"
import type { Hooks } from "../ports.ts"
import type { Block } from "../../schemas/sdk/messages/blocks.ts"
import type { FilledTemplate } from "./template.ts"

/** Where a command comes from: `workspace` is a file of `.claude/commands`, `stored` a definition of the tenant. */
export type CommandSource = "builtin" | "options" | "stored" | "workspace" | "skill" | "mcp"

/** Why a command can't run now: one sentence for the person who typed it. */
export interface CommandFault {
  readonly fault: string
}

/**
 * What a command does. `template`: its text, with arguments and shell output inserted, is the prompt. `prompt`: `expand` makes
 * the prompt from the text after the name. `local`: `answer` is the turn's whole answer, without a model request; with
 * `restarts` the conversation starts again, from a summary or empty. `change`: as `local`, but `make` changes the session.
 * `unavailable`: the answer is why it can't be called.
 */
export type CommandBody =
  | {
      readonly kind: "template"
      /** Called when the command runs, so that listing commands does not read their files' texts. */
      readonly read: () => string | CommandFault
    }
  | {
      readonly kind: "prompt"
      readonly expand: (args: string) => Effect.Effect<ReadonlyArray<Block> | FilledTemplate | CommandFault>
    }
  | { readonly kind: "local"; readonly answer: (args: string) => string; readonly restarts?: "compact" | "clear" }
  | { readonly kind: "change"; readonly make: (args: string) => Effect.Effect<string, never, Hooks> }
  | { readonly kind: "unavailable"; readonly answer: string }

export interface Command {
  /** Without its slash. */
  readonly name: string
  readonly description: string
  readonly argumentHint?: string
  readonly aliases?: ReadonlyArray<string>
  readonly source: CommandSource
  /** Not listed for anyone; a prompt that calls it gets its answer. */
  readonly hidden?: true
  /** The model of the command's turn. */
  readonly model?: string
  /** The effort of the command's turn. */
  readonly effort?: Effort
  /** The subagent that runs the prompt, with the command's model and effort. */
  readonly agent?: string
  /** Rules that allow calls while the command's turn runs. */
  readonly allowedTools?: ReadonlyArray<string>
  /** Rules that deny calls while it runs. */
  readonly disallowedTools?: ReadonlyArray<string>
  /** Hooks that are called while the command's turn runs. */
  readonly hooks?: HttpHookMatchers
  /** What has no effect in the command's file, a sentence each without the file's name. */
  readonly notices?: ReadonlyArray<string>
  readonly body: CommandBody
}

/** The commands of a session at one moment. */
export class CommandBook {
  readonly #byName = new Map<string, Command>()
  readonly #aliases = new Map<string, Command>()
  /** Why commands were left out, a sentence each. */
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
    return this.all.map(({ name }) => name)
  }

  /** The commands that can be called. */
  get all(): ReadonlyArray<Command> {
    return [...this.#byName.values()].filter(({ hidden, body }) => hidden !== true && body.kind !== "unavailable")
  }

  /** The commands in the form that clients receive. */
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
