// The slash commands of a session, from everything that may have some.
// Invariant: as long as no source has other commands than before, the book is the same object, and asking for it is cheap.
import { BUILT_IN_COMMANDS } from "../../agent/commands/built-in.ts"
import { type Command, CommandBook } from "../../agent/commands/command.ts"
import type { SessionCore } from "../core.ts"
import { mcpCommands } from "./mcp-commands.ts"
import { localCommands } from "./local-commands.ts"
import { optionCommands, storedCommands } from "./option-commands.ts"
import { workspaceCommands, workspaceNotices } from "./workspace-commands.ts"
import { skillCommands } from "./skill-commands.ts"

/**
 * Commands that a session has for one reason. It is asked at the beginning of each turn: without any it must cost next to
 * nothing, and while nothing has changed it returns the same array.
 */
export type CommandsOf = (core: SessionCore) => ReadonlyArray<Command>

/** In the order of precedence; the commands that the session answers itself come before all of them. */
const SOURCES: ReadonlyArray<CommandsOf> = [
  optionCommands,
  storedCommands,
  workspaceCommands,
  skillCommands,
  mcpCommands,
  () => BUILT_IN_COMMANDS,
]

export class SessionCommands {
  readonly #core: SessionCore
  #local: ReadonlyArray<Command> | null = null
  #last: { readonly lists: ReadonlyArray<ReadonlyArray<Command>>; readonly book: CommandBook } | null = null

  constructor(core: SessionCore) {
    this.#core = core
  }

  get book(): CommandBook {
    this.#local ??= localCommands(this.#core)
    const lists = [this.#local, ...SOURCES.map((source) => source(this.#core))]
    if (this.#last?.lists.every((list, index) => list === lists[index]) !== true)
      this.#last = { lists, book: new CommandBook(lists.flat(), workspaceNotices(this.#core)) }
    return this.#last.book
  }
}
