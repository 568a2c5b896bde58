// Receives what makes a turn's tools; returns them for as long as the turn runs.
// Invariant: the list is the same object for every step, unless a client changes the MCP servers or the settings.
import { toolAmong, toolsFor } from "../../tools/registry.ts"
import type { SessionOptions } from "../../schemas/sdk/options/options.ts"
import type { Tool } from "../../tools/tool.ts"
import type { McpServers } from "../control/mcp-servers.ts"
import type { SessionCore } from "../core.ts"
import { lateDenials } from "../prompts/flag-settings.ts"

/** The tools of the session's conversation; `mcp` are those of its servers. */
export const sessionTools = (core: SessionCore, mcp: ReadonlyArray<Tool>): ReadonlyArray<Tool> =>
  toolsFor(core.runningOptions, mcp, core.definitions.agents, lateDenials(core.record))

/** The tools of a turn. As the official SDK: a change of servers or rules applies from the turn's next call and request on. */
export class TurnTools {
  readonly #mcp: Pick<McpServers, "changes">
  readonly #options: () => SessionOptions
  readonly #make: () => ReadonlyArray<Tool>
  #of: number
  #settings: SessionOptions["settings"]
  #all: ReadonlyArray<Tool>
  #named: (name: string) => Tool | undefined

  constructor(mcp: Pick<McpServers, "changes">, options: () => SessionOptions, make: () => ReadonlyArray<Tool>) {
    this.#mcp = mcp
    this.#options = options
    this.#make = make
    this.#of = mcp.changes
    this.#settings = options().settings
    this.#all = make()
    this.#named = toolAmong(this.#all, options().toolAliases)
  }

  get all(): ReadonlyArray<Tool> {
    this.#renew()
    return this.#all
  }

  readonly named = (name: string): Tool | undefined => {
    this.#renew()
    return this.#named(name)
  }

  #renew(): void {
    const { settings, toolAliases } = this.#options()
    if (this.#of === this.#mcp.changes && this.#settings === settings) return
    this.#of = this.#mcp.changes
    this.#settings = settings
    this.#all = this.#make()
    this.#named = toolAmong(this.#all, toolAliases)
  }
}
