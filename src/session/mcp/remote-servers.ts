// The remote MCP servers of a session: those of its options and of the running turn's, and those that a client set. Receives
// the options of each turn; returns the servers' tools and states.
// Invariant: a session without any does nothing here; servers are connected when a turn needs them, and none keeps a
// connection open while no turn runs.
import * as Schema from "effect/Schema"
import { remoteServersOf, type RemoteConfig, type RemoteServersOf } from "../../mcp/remote/remote-config.ts"
import { RemoteServer } from "../../mcp/remote/remote-server.ts"
import type { ServerRequest } from "../../mcp/remote/remote-pipe.ts"
import type { RequestFacts } from "../../mcp/remote/server-requests.ts"
import { authorizedOpen, type KeptTokens } from "../../mcp/oauth/server-auth.ts"
import { policyRules } from "../../mcp/mcp-tool.ts"
import type { ServerInUse } from "../../mcp/resources.ts"
import { entryIssues } from "../../mcp/remote/server-rules.ts"
import { type FetchSettings, fetchSettings } from "../../net/guarded-fetch.ts"
import { guardedOpen } from "../../net/guarded-open.ts"
import { maskUrl } from "../../schemas/sdk/options/masked-options.ts"
import { mcpServerRefusal } from "../../schemas/sdk/options/mcp-server-refusal.ts"
import { McpServerEntry } from "../../schemas/sdk/options/mcp-entries.ts"
import { isServerName, type SessionOptions } from "../../schemas/sdk/options/options.ts"
import type { Tool } from "../../tools/tool.ts"
import type { SessionCore } from "../core.ts"
import { pipeCapture } from "../recording/captured-pipe.ts"
import type { SessionCapture } from "../recording/session-capture.ts"
import { type ServerStatus, toolFacts } from "./server-status.ts"
import { storedServers } from "./stored-servers.ts"
import { ServerTokens, type ServerTokensDeps } from "./server-tokens.ts"
import type { Meta } from "../storage/meta.ts"

export interface RemoteServersDeps {
  readonly meta: Pick<Meta, "get" | "set" | "delete">
  /** The effective options. */
  readonly options: () => SessionOptions
  /** The servers that the tenant has stored for its sessions; the same object while they are unchanged. */
  readonly stored: () => Entries
  /** Which addresses may be reached. */
  readonly settings: FetchSettings
  readonly context: ServerTokensDeps["context"]
  readonly record: ServerTokensDeps["record"]
  readonly capture: SessionCapture | null
}

/** What the session does for its servers. */
interface ServerCallbacks {
  /** Returns the JSON-RPC response to a request of a server. */
  answer(server: string, message: ServerRequest, about: RequestFacts): Promise<Readonly<Record<string, unknown>>>
  /** The user is done with a page that a server asked to visit. */
  pageDone(server: string, elicitationId: string): void
}

type Entries = Readonly<Record<string, McpServerEntry>>

export interface UsableServers {
  readonly taken: Entries
  readonly errors: Readonly<Record<string, string>>
}

const decodeEntry = Schema.decodeUnknownResult(McpServerEntry, { onExcessProperty: "error" })
const NOT_A_CONFIG =
  "The server's configuration is invalid for its type. Check its fields: `url`, `headers`, `tools`, `timeout`, `oauth`."
/** The rule of `isServerName`. */
export const NAME_LIMITS = "The name of an MCP server must have 1 to 200 characters."

const NO_RULES = { allow: [], ask: [] }

export class RemoteServers {
  readonly #deps: RemoteServersDeps
  /** The OAuth tokens of servers that need a sign-in. */
  readonly tokens: ServerTokens
  /** Increases when a server's tools change during a turn. */
  changes = 0
  readonly #servers = new Map<string, RemoteServer>()
  readonly #disabled = new Set<string>()
  #callbacks: ServerCallbacks = {
    answer: () => Promise.reject(new Error("nothing answers this server")),
    pageDone: () => undefined,
  }
  /** Servers that a client set, in addition to those of the options. */
  #set: Entries
  #known: { readonly from: ReadonlyArray<Entries | undefined>; readonly wanted: RemoteServersOf } | null = null

  constructor(deps: RemoteServersDeps) {
    this.#deps = deps
    this.tokens = new ServerTokens(deps)
    this.#set = deps.meta.get("mcp_servers") ?? {}
  }

  /** Call it once, when the session is opened. */
  answerWith(callbacks: ServerCallbacks): void {
    this.#callbacks = callbacks
  }

  /** Resolves when every server of a turn with these options is connected, or has failed to be. */
  async prepare(options: SessionOptions): Promise<void> {
    const { servers } = this.#wanted(options)
    if (servers.size === 0 && this.#servers.size === 0) return
    for (const [name, server] of this.#servers) {
      const config = servers.get(name)
      if (config !== undefined && isSame(config, server.config)) continue
      server.close()
      this.#servers.delete(name)
    }
    const enabled = [...servers].filter(([name]) => !this.#disabled.has(name))
    await Promise.all(enabled.map(([name, config]) => this.#serverOf(name, config).prepare()))
  }

  /** Call it when no turn runs: closes the streams of the servers. */
  rest(): void {
    for (const server of this.#servers.values()) server.rest()
  }

  /** The servers of a client that can be used, and the reasons why the others can't, by name. */
  usable(servers: Readonly<Record<string, unknown>>): UsableServers {
    const errors: Record<string, string> = {}
    const taken: Record<string, McpServerEntry> = {}
    for (const [name, config] of Object.entries(servers)) {
      const refused = mcpServerRefusal(config)
      const entry = decodeEntry(config)
      if (refused !== undefined) errors[name] = `The server ${refused}`
      else if (!isServerName(name)) errors[name] = NAME_LIMITS
      else if (entry._tag === "Failure") errors[name] = NOT_A_CONFIG
      else {
        const why = this.issueOf(entry.success)
        if (why === undefined) taken[name] = entry.success
        else errors[name] = why
      }
    }
    return { taken, errors }
  }

  /**
   * Replaces the servers that a client set before; an empty object removes them. Servers that can't be used are left out;
   * returns the reasons, by name.
   */
  set(servers: Readonly<Record<string, unknown>>): UsableServers["errors"] {
    const { taken, errors } = this.usable(servers)
    this.#set = taken
    if (Object.keys(taken).length > 0) this.#deps.meta.set("mcp_servers", taken)
    else if (this.#deps.meta.get("mcp_servers") !== undefined) this.#deps.meta.delete("mcp_servers")
    return errors
  }

  issueOf(entry: McpServerEntry): string | undefined {
    const [issue] = entryIssues(entry, this.#deps.settings)
    return issue === undefined ? undefined : `The server's ${`${issue.field} ${issue.message}`.trim()}`
  }

  /** The servers that a client set. */
  get own(): Entries {
    return this.#set
  }

  get tools(): ReadonlyArray<Tool> {
    return this.#inUse().flatMap(({ tools }) => tools)
  }

  /** The permission policies of the servers' tools in their configuration, as rules. */
  rules(): { readonly allow: ReadonlyArray<string>; readonly ask: ReadonlyArray<string> } {
    const { servers } = this.#current
    if (servers.size === 0) return NO_RULES
    const rules = [...servers].map(([name, { tools }]) => policyRules(name, tools))
    return { allow: rules.flatMap(({ allow }) => allow), ask: rules.flatMap(({ ask }) => ask) }
  }

  /** The servers that are connected and may be used, each with its transport. */
  get inUse(): ReadonlyArray<ServerInUse> {
    return this.#inUse().flatMap(({ connected, pipe }) => (connected === null ? [] : [{ server: connected, pipe }]))
  }

  /** Servers that are connected and may be used. */
  #inUse(): ReadonlyArray<RemoteServer> {
    if (this.#servers.size === 0) return []
    return [...this.#current.servers].flatMap(([name, config]) => {
      const server = this.#servers.get(name)
      const usable = server !== undefined && !this.#disabled.has(name) && isSame(server.config, config)
      return usable && server.connected !== null ? [server] : []
    })
  }

  /** The tools of servers that the model does not get, with the reason. */
  get rejected() {
    return this.#inUse().flatMap(({ name, connected }) =>
      (connected?.refused ?? []).map((tool) => ({ ...tool, server: name })),
    )
  }

  status(): ReadonlyArray<ServerStatus> {
    const { servers, skipped } = this.#current
    const off = skipped.map((name): ServerStatus => ({ name, status: "disabled", source: "dynamic" }))
    return [...[...servers].map(([name, config]) => this.#statusOf(name, config)), ...off]
  }

  #statusOf(name: string, config: RemoteConfig): ServerStatus {
    const { type, url, source } = config
    const about = { source, transport: type, scope: source, config: { type, url: maskUrl(url) } }
    if (this.#disabled.has(name)) return { name, status: "disabled", ...about }
    const server = this.#servers.get(name)
    if (server === undefined || !isSame(server.config, config)) return { name, status: "pending", ...about }
    const { connected, failure } = server
    if (connected !== null) {
      const { serverInfo, tools } = connected
      return {
        name,
        status: "connected",
        ...about,
        ...(serverInfo === undefined ? {} : { serverInfo }),
        tools: tools.map(toolFacts),
      }
    }
    if (failure === null) return { name, status: "pending", ...about }
    return { name, status: failure.unauthorized ? "needs-auth" : "failed", ...about, error: failure.message }
  }

  has(name: string): boolean {
    return this.#current.servers.has(name)
  }

  toggle(name: string, enabled: boolean): void {
    if (enabled) this.#disabled.delete(name)
    else this.#disabled.add(name)
  }

  /** Connects to a server now, even if it failed before; returns the reason if it fails. */
  async reconnect(name: string): Promise<string | undefined> {
    const config = this.#current.servers.get(name)
    if (config === undefined) return undefined
    const server = this.#serverOf(name, config)
    await server.connect()
    return server.failure?.message
  }

  /** Stores the tokens of a user who has signed in: the next turn uses the server. */
  async authorized(name: string, of: string, kept: KeptTokens): Promise<void> {
    await this.tokens.give(name, of, kept)
    this.clearFailure(name)
  }

  /** Forgets why a server failed, since the reason may be gone: the next turn tries it again. */
  clearFailure(name: string): void {
    this.#servers.get(name)?.clearFailure()
  }

  get settings(): FetchSettings {
    return this.#deps.settings
  }

  #serverOf(name: string, config: RemoteConfig): RemoteServer {
    const before = this.#servers.get(name)
    if (before !== undefined && isSame(before.config, config)) return before
    before?.close()
    const server = this.serverOfItsOwn(name, config)
    this.#servers.set(name, server)
    return server
  }

  /** A new server, which is not added to the session's: the caller connects and closes it. */
  serverOfItsOwn(name: string, config: RemoteConfig): RemoteServer {
    const { settings, context, capture } = this.#deps
    const auth = this.tokens.authOf(name, config)
    const open = guardedOpen(settings)
    return new RemoteServer({
      name,
      config,
      open: auth === null ? open : authorizedOpen(open, auth),
      ...(auth === null ? {} : { secrets: () => auth.secrets }),
      answer: (message, about) => this.#callbacks.answer(name, message, about),
      pageDone: (id) => this.#callbacks.pageDone(name, id),
      toolsChanged: () => (this.changes += 1),
      ...(capture === null ? {} : { capture: pipeCapture(name, capture) }),
      now: context.now,
    })
  }

  get #current(): RemoteServersOf {
    return this.#wanted(this.#deps.options())
  }

  /** When several have the same name, the client's server is used, then that of the options, then the tenant's. */
  #wanted({ mcpServers, strictMcpConfig }: SessionOptions): RemoteServersOf {
    const stored = strictMcpConfig === true ? NO_SERVERS : this.#deps.stored()
    const from = [mcpServers, this.#set, stored]
    if (this.#known === null || from.some((one, index) => one !== this.#known?.from[index])) {
      this.#known = {
        from,
        wanted: wantedOf(Object.keys(this.#set).length === 0 ? mcpServers : { ...mcpServers, ...this.#set }, stored),
      }
    }
    return this.#known.wanted
  }
}

/** The servers of a session. */
export const sessionServers = (
  core: Pick<SessionCore, "capture" | "context" | "definitions" | "meta" | "record" | "runningOptions">,
): RemoteServers => {
  const { capture, context, meta, record } = core
  const { env } = context
  return new RemoteServers({
    meta,
    options: () => core.runningOptions,
    stored: () => storedServers(core.definitions.stored("mcp_server")),
    settings: fetchSettings(env.PERCH_FETCH_ALLOW, env.PERCH_FETCH_RESOLVER),
    context,
    record,
    capture,
  })
}

const NO_SERVERS: Entries = {}

const wantedOf = (own: Entries | undefined, stored: Entries): RemoteServersOf => {
  const named = remoteServersOf(own)
  const others = Object.entries(stored).filter(([name]) => own === undefined || !Object.hasOwn(own, name))
  if (others.length === 0) return named
  const kept = remoteServersOf(Object.fromEntries(others), "user")
  return {
    servers: new Map([...kept.servers, ...named.servers]),
    skipped: [...named.skipped, ...kept.skipped],
  }
}

const isSame = (a: RemoteConfig, b: RemoteConfig): boolean => a === b || JSON.stringify(a) === JSON.stringify(b)
