// Receives what makes a turn's tools; returns them for as long as the turn runs.
// Invariant: the list is the same object for every step, unless a client adds, removes or switches off an MCP server.
import { toolAmong } from "../../tools/registry.ts"
import type { SessionOptions } from "../../schemas/sdk/options/options.ts"
import type { Tool } from "../../tools/tool.ts"
import type { McpServers } from "../control/mcp-servers.ts"

/** The tools of a turn. As the official SDK: a change of the servers applies from the turn's next call and request on. */
export class TurnTools {
  readonly #mcp: Pick<McpServers, "changes">
  readonly #make: () => ReadonlyArray<Tool>
  readonly #aliases: SessionOptions["toolAliases"]
  #of: number
  #all: ReadonlyArray<Tool>
  #named: (name: string) => Tool | undefined

  constructor(
    mcp: Pick<McpServers, "changes">,
    make: () => ReadonlyArray<Tool>,
    aliases: SessionOptions["toolAliases"],
  ) {
    this.#mcp = mcp
    this.#make = make
    this.#aliases = aliases
    this.#of = mcp.changes
    this.#all = make()
    this.#named = toolAmong(this.#all, aliases)
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
    if (this.#of === this.#mcp.changes) return
    this.#of = this.#mcp.changes
    this.#all = this.#make()
    this.#named = toolAmong(this.#all, this.#aliases)
  }
}
