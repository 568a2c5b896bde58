// Receives what makes a turn's tools; returns them for as long as the turn runs.
// Invariant: the list is the same object for every step, unless a client adds, removes or switches off an MCP server.
import type { Rule } from "../../permissions/rules.ts"
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
  #denied: ReadonlyArray<Rule> = []

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
    const tool = this.#named(name)
    return tool !== undefined && this.#isDenied(tool) ? undefined : tool
  }

  /**
   * Call it before each request. As the official SDK: a deny rule without content that was added meanwhile removes tools of MCP
   * servers from then on; calls of earlier answers are judged by it. The requests keep the definitions, and so their cache.
   */
  beginStep(deny: ReadonlyArray<Rule>): void {
    this.#denied = deny.filter(({ ruleContent }) => ruleContent === undefined)
  }

  #isDenied({ name, mcpServer }: Tool): boolean {
    return mcpServer !== undefined && this.#denied.some((rule) => rule.names(name, mcpServer.name))
  }

  #renew(): void {
    if (this.#of === this.#mcp.changes) return
    this.#of = this.#mcp.changes
    this.#all = this.#make()
    this.#named = toolAmong(this.#all, this.#aliases)
  }
}
