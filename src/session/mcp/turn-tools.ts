// Receives what makes a turn's tools; returns them for as long as the turn runs.
// Invariant: the list is the same object for every step, unless a client changes MCP servers or settings, or an answer adds or
// removes a rule that denies tools of MCP servers.
import type { Rule } from "../../permissions/rules.ts"
import { toolAmong, toolsFor } from "../../tools/registry.ts"
import type { SessionOptions } from "../../schemas/sdk/options/options.ts"
import type { Tool } from "../../tools/tool.ts"
import type { McpServers } from "../control/mcp-servers.ts"
import type { SessionCore } from "../core.ts"
import { lateDenials } from "../prompts/flag-settings.ts"

/** The tools of the session's conversation; `mcp` are those of its servers. */
export const sessionTools = (core: SessionCore, mcp: ReadonlyArray<Tool>): ReadonlyArray<Tool> =>
  toolsFor(core.runningOptions, mcp, core.definitions.agents, lateDenials(core.record))

interface Sources {
  readonly options: () => SessionOptions
  readonly make: () => ReadonlyArray<Tool>
  /** The deny rules of the options, the settings and earlier answers. */
  readonly denials: () => ReadonlyArray<Rule>
}

/**
 * The tools of a turn. As the official SDK: a change of the servers applies from the turn's next call and request on; a deny rule
 * for tools of MCP servers removes them from the next request on, and calls of earlier answers are judged by it.
 */
export class TurnTools {
  readonly #mcp: Pick<McpServers, "changes">
  readonly #sources: Sources
  #of: number
  #settings: SessionOptions["settings"]
  #made: ReadonlyArray<Tool> = []
  #all: ReadonlyArray<Tool> = []
  #named: (name: string) => Tool | undefined = () => undefined

  constructor(mcp: Pick<McpServers, "changes">, sources: Sources) {
    this.#mcp = mcp
    this.#sources = sources
    this.#of = mcp.changes
    this.#settings = sources.options().settings
    this.#make()
  }

  get all(): ReadonlyArray<Tool> {
    this.#renew()
    return this.#all
  }

  readonly named = (name: string): Tool | undefined => {
    this.#renew()
    return this.#named(name)
  }

  /** Applies the rules of this moment; call it before each request. */
  beginStep(): void {
    const { settings } = this.#sources.options()
    if (this.#settings === settings) return this.#remove()
    this.#settings = settings
    this.#make()
  }

  #renew(): void {
    if (this.#of === this.#mcp.changes) return
    this.#of = this.#mcp.changes
    this.#make()
  }

  #make(): void {
    this.#made = this.#sources.make()
    this.#remove()
  }

  #remove(): void {
    const whole = this.#sources.denials().filter(({ ruleContent }) => ruleContent === undefined)
    const left = this.#made.filter(
      ({ name, mcpServer }) => mcpServer === undefined || !whole.some((rule) => rule.names(name, mcpServer.name)),
    )
    if (left.length === this.#all.length && left.every((tool, index) => tool === this.#all[index])) return
    this.#all = left
    this.#named = toolAmong(left, this.#sources.options().toolAliases)
  }
}
