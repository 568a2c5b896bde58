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

/** What clients know of the commands: the book that they were sent last, and what they read of it. */
interface Announced {
  readonly book: CommandBook
  readonly text: string
}

export class SessionCommands {
  readonly #core: SessionCore
  #local: ReadonlyArray<Command> | null = null
  #last: { readonly lists: ReadonlyArray<ReadonlyArray<Command>>; readonly book: CommandBook } | null = null

  #announced: Announced | null = null

  constructor(core: SessionCore) {
    this.#core = core
  }

  /** The commands as a client that begins is sent them. */
  listed(): CommandBook["infos"] {
    const { book } = this
    this.#announced = { book, text: JSON.stringify(book.infos) }
    return book.infos
  }

  /** True while a client listens, and one has asked for the commands. */
  get isAwaited(): boolean {
    return this.#announced !== null && this.#core.feed.listeners.size > 0
  }

  /**
   * Sends clients the new list where it is another than the one that they know. Call it where commands may have changed:
   * without a client that has asked for them it sends nothing.
   */
  announce(): CommandBook {
    const { context, feed, id } = this.#core
    const { book } = this
    if (this.#announced === null || !this.isAwaited || book === this.#announced.book) return book
    const commands = book.infos
    const text = JSON.stringify(commands)
    const isSame = text === this.#announced.text
    this.#announced = { book, text }
    if (isSame) return book
    const uuid = context.newUuid()
    feed.emit({
      name: "sdk:system/commands_changed",
      turn: null,
      payload: { type: "system", subtype: "commands_changed", commands, session_id: id, uuid },
    })
    return book
  }

  get book(): CommandBook {
    this.#local ??= localCommands(this.#core)
    const lists = [this.#local, ...SOURCES.map((source) => source(this.#core))]
    if (this.#last?.lists.every((list, index) => list === lists[index]) !== true)
      this.#last = { lists, book: new CommandBook(lists.flat(), workspaceNotices(this.#core)) }
    return this.#last.book
  }
}
