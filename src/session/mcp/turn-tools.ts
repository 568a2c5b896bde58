// Receives what makes a turn's tools; returns them for as long as the turn runs.
// Invariant: the list is the same object for every step, unless a client changes MCP servers or settings, or
// a server its tools.
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
 * The tools of a turn. A change of the servers applies from the turn's next call and request on. As the official SDK: tools of MCP
 * servers that a deny rule names stay in requests, so that these stay cached, but no answer to a later request can call them;
 * calls of earlier answers are judged by the rule.
 */
export class TurnTools {
  readonly #mcp: Pick<McpServers, "changes">
  readonly #sources: Sources
  #of: number
  #settings: SessionOptions["settings"]
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
    if (this.#settings === settings) return this.#name()
    this.#settings = settings
    this.#make()
  }

  #renew(): void {
    if (this.#of === this.#mcp.changes) return
    this.#of = this.#mcp.changes
    this.#make()
  }

  #make(): void {
    this.#all = this.#sources.make()
    this.#name()
  }

  #name(): void {
    const whole = this.#sources.denials().filter(({ ruleContent }) => ruleContent === undefined)
    const callable = this.#all.filter(
      ({ name, mcpServer }) => mcpServer === undefined || !whole.some((rule) => rule.names(name, mcpServer.name)),
    )
    this.#named = toolAmong(callable, this.#sources.options().toolAliases)
  }
}
