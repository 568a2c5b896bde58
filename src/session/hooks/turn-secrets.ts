// Stores the options of a prompt that may have secrets, from the prompt to the end of its turn: HTTP hooks, MCP servers, and
// agents with MCP servers.
// Invariant: the log has them masked, so they are stored here in the same transaction; without any there is no row.
import { haveOwnServers } from "../../schemas/sdk/options/agent-servers.ts"
import type { SessionOptions } from "../../schemas/sdk/options/options.ts"
import type { Meta } from "../storage/meta.ts"

/** The options that are stored, and the row of each in `meta`, which has their values by turn. */
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

  /** The turn's options, in which the values that it was queued with replace the masked ones. */
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
    // Can't fail: the option's own schema accepted what is written.
    this.#meta.set(KEPT[name], all as never)
  }
}
