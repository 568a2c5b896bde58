// What a session knows beside its conversation: the subagents of its options and Perch's own, as the next turn has them.
// Invariant: a list is made once for the options that it is made of.
import { type ResolvedAgent, resolveAgents } from "../../agent/subagents/definition.ts"
import type { SessionOptions } from "../../schemas/sdk/options/options.ts"
import type { SessionCore } from "../core.ts"

export class SessionDefinitions {
  readonly #core: Pick<SessionCore, "runningOptions">
  #made: { readonly options: SessionOptions["agents"]; readonly agents: ReadonlyArray<ResolvedAgent> } | null = null

  constructor(core: Pick<SessionCore, "runningOptions">) {
    this.#core = core
  }

  /** The subagents that a turn has now. */
  get agents(): ReadonlyArray<ResolvedAgent> {
    const { agents: options } = this.#core.runningOptions
    if (this.#made === null || this.#made.options !== options)
      this.#made = { options, agents: resolveAgents(options === undefined ? {} : { options }) }
    return this.#made.agents
  }
}
