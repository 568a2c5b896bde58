// The slash commands of a session, from all of their sources.
// Invariant: while no source's commands change, the book is the same object, and reading it is cheap.
import { BUILT_IN_COMMANDS } from "../../agent/commands/built-in.ts"
import { UNAVAILABLE_COMMANDS } from "../../agent/commands/unavailable.ts"
import { type Command, CommandBook } from "../../agent/commands/command.ts"
import type { SessionCore } from "../core.ts"
import { mcpCommands } from "./mcp-commands.ts"
import { localCommands } from "./local-commands.ts"
import { settingCommands } from "./setting-commands.ts"
import { optionCommands, storedCommands } from "./option-commands.ts"
import { workspaceCommands, workspaceNotices } from "./workspace-commands.ts"
import { skillCommands } from "./skill-commands.ts"

/**
 * One source of a session's commands. It is called at the start of each turn: without commands it must cost next to nothing,
 * and while nothing has changed it returns the same array.
 */
type CommandsOf = (core: SessionCore) => ReadonlyArray<Command>

/** In the order of precedence; the commands that the session answers itself come before all of them. */
const SOURCES: ReadonlyArray<CommandsOf> = [
  optionCommands,
  storedCommands,
  skillCommands,
  workspaceCommands,
  mcpCommands,
  () => BUILT_IN_COMMANDS,
  () => UNAVAILABLE_COMMANDS,
]

/** The list that clients were last sent: its book, and its JSON. */
interface Announced {
  readonly book: CommandBook
  readonly text: string
}

export class SessionCommands {
  readonly #core: SessionCore
  #local: ReadonlyArray<Command> | null = null
  #settings: ReadonlyArray<Command> | null = null
  #last: { readonly lists: ReadonlyArray<ReadonlyArray<Command>>; readonly book: CommandBook } | null = null

  #announced: Announced | null = null

  constructor(core: SessionCore) {
    this.#core = core
  }

  /** The commands for the answer to `initialize`; from then on changes of the list are announced. */
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
   * Sends clients the list if it differs from the one that they were last sent. Call it where commands may have changed; it
   * sends nothing unless a client has asked for them.
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
    this.#settings ??= settingCommands(this.#core)
    const lists = [this.#local, ...SOURCES.map((source) => source(this.#core)), this.#settings]
    if (this.#last?.lists.every((list, index) => list === lists[index]) !== true)
      this.#last = { lists, book: new CommandBook(lists.flat(), workspaceNotices(this.#core)) }
    return this.#last.book
  }
}
