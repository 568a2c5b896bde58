// Keeps the HTTP hooks, the MCP servers and the agents with MCP servers of turns that were queued with ones of their own,
// from the prompt to the end of its turn.
// Invariant: the log has these masked, so they are kept here, in the same transaction; without any there is no row.
import { haveOwnServers } from "../../schemas/sdk/options/agent-servers.ts"
import type { SessionOptions } from "../../schemas/sdk/options/options.ts"
import type { Meta } from "../storage/meta.ts"

/** The options that are kept, and the row that has each, by turn. */
const KEPT = { hooks: "turn_hooks", mcpServers: "turn_servers", agents: "turn_agents" } as const
type Kept = keyof typeof KEPT

const NAMES: ReadonlyArray<Kept> = ["hooks", "mcpServers", "agents"]

/** Those of the options that may hold secrets. */
const namesIn = (options: SessionOptions): ReadonlyArray<Kept> =>
  NAMES.filter((name) => (name === "agents" ? haveOwnServers(options.agents ?? {}) : options[name] !== undefined))

export class TurnSecrets {
  readonly #meta: Meta

  constructor(meta: Meta) {
    this.#meta = meta
  }

  /** Call inside the transaction that queues the turn. */
  keep(turn: string, options: SessionOptions): void {
    for (const name of namesIn(options)) this.#write(name, { ...this.#all(name), [turn]: options[name] })
  }

  /** The turn's options with what it was queued with, in the place of what is masked. */
  unmasked(turn: string, options: SessionOptions): SessionOptions {
    const kept = namesIn(options).flatMap((name) => {
      const own = this.#all(name)[turn]
      return own === undefined ? [] : [[name, own] as const]
    })
    return kept.length === 0 ? options : { ...options, ...Object.fromEntries(kept) }
  }

  /** Call inside the transaction that ends the turn. */
  forget(turn: string, options: SessionOptions): void {
    for (const name of namesIn(options)) {
      const { [turn]: _, ...others } = this.#all(name)
      if (Object.keys(others).length === 0) this.#meta.delete(KEPT[name])
      else this.#write(name, others)
    }
  }

  #all(name: Kept): Readonly<Record<string, object>> {
    return this.#meta.get(KEPT[name]) ?? {}
  }

  #write(name: Kept, all: Readonly<Record<string, unknown>>): void {
    // What is written is what the option's own schema accepted.
    this.#meta.set(KEPT[name], all as never)
  }
}
