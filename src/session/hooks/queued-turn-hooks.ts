// Keeps the HTTP hooks of turns that were queued with hooks of their own, from the prompt to the end of its turn.
// Invariant: the log has these hooks masked, so they are kept here, in the same transaction; without any there is no row.
import type { HttpHookMatchers } from "../../schemas/sdk/hooks/http-hooks.ts"
import type { SessionOptions } from "../../schemas/sdk/options/options.ts"
import type { Meta } from "../storage/meta.ts"

export class TurnHooks {
  readonly #meta: Meta

  constructor(meta: Meta) {
    this.#meta = meta
  }

  /** Call inside the transaction that queues the turn. */
  keep(turn: string, hooks: HttpHookMatchers | undefined): void {
    if (hooks !== undefined) this.#meta.set("turn_hooks", { ...this.#all(), [turn]: hooks })
  }

  /** The turn's options with the hooks that it was queued with, in the place of the masked ones. */
  unmasked(turn: string, options: SessionOptions): SessionOptions {
    if (options.hooks === undefined) return options
    const hooks = this.#all()[turn]
    return hooks === undefined ? options : { ...options, hooks }
  }

  /** Call inside the transaction that ends the turn. */
  forget(turn: string, { hooks }: SessionOptions): void {
    if (hooks === undefined) return
    const { [turn]: _, ...others } = this.#all()
    if (Object.keys(others).length === 0) this.#meta.delete("turn_hooks")
    else this.#meta.set("turn_hooks", others)
  }

  #all(): Readonly<Record<string, HttpHookMatchers>> {
    return this.#meta.get("turn_hooks") ?? {}
  }
}
