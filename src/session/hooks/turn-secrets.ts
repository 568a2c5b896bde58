// Keeps the HTTP hooks and MCP servers of turns that were queued with ones of their own, from the prompt to the end of its
// turn.
// Invariant: the log has these masked, so they are kept here, in the same transaction; without any there is no row.
import type { SessionOptions } from "../../schemas/sdk/options/options.ts"
import type { Meta } from "../storage/meta.ts"

/** The options that are kept, and the row that has each, by turn. */
const KEPT = { hooks: "turn_hooks", mcpServers: "turn_servers" } as const
type Kept = keyof typeof KEPT

const NAMES: ReadonlyArray<Kept> = ["hooks", "mcpServers"]

export class TurnSecrets {
  readonly #meta: Meta

  constructor(meta: Meta) {
    this.#meta = meta
  }

  /** Call inside the transaction that queues the turn. */
  keep(turn: string, options: SessionOptions): void {
    for (const name of NAMES)
      if (options[name] !== undefined) this.#write(name, { ...this.#all(name), [turn]: options[name] })
  }

  /** The turn's options with what it was queued with, in the place of what is masked. */
  unmasked(turn: string, options: SessionOptions): SessionOptions {
    const kept = NAMES.flatMap((name) => {
      const own = options[name] === undefined ? undefined : this.#all(name)[turn]
      return own === undefined ? [] : [[name, own] as const]
    })
    return kept.length === 0 ? options : { ...options, ...Object.fromEntries(kept) }
  }

  /** Call inside the transaction that ends the turn. */
  forget(turn: string, options: SessionOptions): void {
    for (const name of NAMES) {
      if (options[name] === undefined) continue
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
