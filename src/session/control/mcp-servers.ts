// The MCP servers inside the session's client: connects to them, keeps their tools, and reports their states with those of
// remote servers.
// Invariant: a turn starts only when every server has answered or timed out, so that its list of tools is complete.
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { RefusedTool } from "../../mcp/choose-tools.ts"
import { connectMcp, type ConnectedMcp, type McpPipe, McpPipeError } from "../../mcp/client-server.ts"
import { contested } from "../../mcp/names.ts"
import { mcpTool, policyRules } from "../../mcp/mcp-tool.ts"
import type { JsonRpcMessage } from "../../schemas/sdk/options/mcp-config.ts"
import { mcpResources, type ServerInUse } from "../../mcp/resources.ts"
import type { McpResources } from "../../tools/mcp/resource-port.ts"
import { resourceTools } from "../../tools/registry.ts"
import { toolFingerprint } from "../../tools/tool-fingerprint.ts"
import type { Tool } from "../../tools/tool.ts"
import type { Clients } from "./clients.ts"
import { capturedPipe } from "../recording/captured-pipe.ts"
import type { SessionCapture } from "../recording/session-capture.ts"
import type { Registration } from "../storage/meta.ts"
import type { RemoteServers } from "../mcp/remote-servers.ts"
import { logLine } from "../server-log.ts"
import { type ServerReport, type ServerStatus, toolFacts } from "../mcp/server-status.ts"

/** How long a client may take to pass a response to its server. */
const RESPONSE_MS = 60_000

type SdkServer = Registration["sdk_servers"][string]

export class McpServers {
  readonly #clients: Clients
  readonly #newUuid: () => string
  readonly #remote: RemoteServers
  readonly #capture: SessionCapture | null
  readonly #failed = new Map<string, string>()
  readonly #disabled = new Set<string>()
  /** The configurations of requested servers that can't be used here. */
  refused: Readonly<Record<string, unknown>> = {}
  #errors: Readonly<Record<string, string>> = {}
  readonly #starting = new Map<string, AbortController>()
  #connecting: Promise<void> = Promise.resolve()
  /** How often a server's tools were added or removed since the session's object started. */
  #changes = 0
  /** The tools of the client's servers, with the connections that they were made from; null after a server was toggled. */
  #tools: { readonly of: unknown; readonly tools: ReadonlyArray<Tool> } | null = null

  constructor(clients: Clients, newUuid: () => string, remote: RemoteServers, capture: SessionCapture | null) {
    this.#capture = capture
    this.#clients = clients
    this.#remote = remote
    this.#newUuid = newUuid
  }

  get changes(): number {
    return this.#changes + this.#remote.changes
  }

  /** Resolves when no server is being connected. */
  get ready(): Promise<void> {
    return this.#connecting
  }

  /** Initializes the registered servers that have not been initialized yet, and those in `again` once more. */
  connect(again: ReadonlyArray<string> = []): Promise<void> {
    for (const name of again) this.#failed.delete(name)
    const connecting = this.#connecting.then(() => this.#connectAll(again))
    // Turns wait for it: one that can't be stored is used until the object restarts.
    this.#connecting = connecting.catch((error: unknown) =>
      logLine("error", "the servers of a client could not be stored", { error }),
    )
    return this.#connecting
  }

  async #connectAll(again: ReadonlyArray<string>): Promise<void> {
    const { sdk_servers, connected } = this.#clients.registration
    const known = connected.filter((server) => !again.includes(server.name))
    const missing = Object.entries(sdk_servers).filter(
      ([name]) => !known.some((server) => server.name === name) && !this.#failed.has(name),
    )
    if (missing.length === 0) return
    const reached = await Promise.all(missing.map(([name, config]) => this.#connectOne(name, config)))
    // The client may have registered other servers meanwhile.
    const now = this.#clients.registration
    const kept = now.connected.filter((server) => !again.includes(server.name))
    const added = reached.flat().filter((server) => Object.hasOwn(now.sdk_servers, server.name))
    this.#clients.keepServers([...kept, ...added])
    this.#changes += 1
  }

  /** Connects to a server. An empty list when that failed, or the server was unregistered before it answered. */
  async #connectOne(name: string, { tools, timeout }: SdkServer): Promise<ReadonlyArray<ConnectedMcp>> {
    const leave = new AbortController()
    this.#starting.set(name, leave)
    const exit = await Effect.runPromiseExit(Effect.result(connectMcp(name, this.pipe(name), tools ?? [], timeout)), {
      signal: leave.signal,
    })
    if (this.#starting.get(name) === leave) this.#starting.delete(name)
    if (Exit.isFailure(exit)) {
      if (!leave.signal.aborted) this.#failed.set(name, "it could not be initialized")
      return []
    }
    if (exit.value._tag === "Success") return [exit.value.success]
    this.#failed.set(name, exit.value.failure.message)
    return []
  }

  /** To be called after the client's servers were replaced: stops waiting for those that it has unregistered. */
  forget(): void {
    this.#changes += 1
    for (const [name, leave] of this.#starting) if (!this.isClients(name)) leave.abort()
    this.#clients.failRemoved()
  }

  /** Reports those of the requested servers as failed that have an error. */
  refuse(errors: Readonly<Record<string, string>>, requested: Readonly<Record<string, unknown>>): void {
    this.#errors = errors
    this.refused = Object.fromEntries(Object.keys(errors).map((name) => [name, requested[name]]))
  }

  /** The transport to a server, through the client that has it. */
  pipe(server: string): McpPipe {
    const pipe = this.#clientPipe(server)
    return this.#capture === null ? pipe : capturedPipe(server, pipe, this.#capture)
  }

  #clientPipe(server: string): McpPipe {
    return {
      send: (message, timeoutMs) => {
        const { owner } = this.#clients
        if (owner === null)
          return Effect.fail(new McpPipeError({ message: "The client that runs this server has disconnected." }))
        const request = { subtype: "mcp_message", server_name: server, message }
        return this.#clients.request(owner, this.#newUuid(), request).pipe(
          Effect.timeoutOrElse({
            duration: timeoutMs,
            orElse: () =>
              Effect.fail(new McpPipeError({ message: `The server did not respond within ${timeoutMs} ms.` })),
          }),
          Effect.mapError(({ message }) => new McpPipeError({ message })),
          Effect.map((answer) => responseIn(answer, message)),
        )
      },
    }
  }

  /** The permission policies of the servers' tools, as rules. */
  rules(): { readonly allow: ReadonlyArray<string>; readonly ask: ReadonlyArray<string> } {
    const servers = Object.entries(this.#clients.registration.sdk_servers)
    const rules = [...servers.map(([name, { tools = [] }]) => policyRules(name, tools)), this.#remote.rules()]
    return { allow: rules.flatMap(({ allow }) => allow), ask: rules.flatMap(({ ask }) => ask) }
  }

  /**
   * The tools of all servers, and the tools that read resources when a server has any. When a client's server and a remote
   * one share a name, the client's is used.
   */
  get tools(): ReadonlyArray<Tool> {
    const contested = this.#contested
    const own = this.#listed.filter((tool) => !contested.has(tool))
    return this.#inUse.some(({ server }) => server.resources === true) ? [...own, ...resourceTools] : own
  }

  get #listed(): ReadonlyArray<Tool> {
    const remote = this.#remote.tools.filter((tool) => !this.isClients(tool.mcpServer?.name ?? ""))
    return [...this.#clientTools, ...remote]
  }

  get #contested(): ReadonlySet<Tool> {
    return contested(this.#listed, this.#names)
  }

  get #names(): ReadonlyArray<string> {
    return this.status().map(({ name }) => name)
  }

  /** The resources of all servers. */
  readonly resources: McpResources = mcpResources(() => ({
    names: this.#names,
    inUse: this.#inUse,
  }))

  get #inUse(): ReadonlyArray<ServerInUse> {
    const { connected } = this.#clients.registration
    const own = connected
      .filter((server) => !this.#disabled.has(server.name))
      .map((server) => ({ server, pipe: this.pipe(server.name) }))
    return [...own, ...this.#remote.inUse.filter(({ server }) => !this.isClients(server.name))]
  }

  get #clientTools(): ReadonlyArray<Tool> {
    const { connected } = this.#clients.registration
    if (this.#tools?.of === connected) return this.#tools.tools
    const tools = connected
      .filter((server) => !this.#disabled.has(server.name))
      .flatMap((server) => server.tools.map((tool) => mcpTool(server, tool, this.pipe(server.name))))
    this.#tools = { of: connected, tools }
    return tools
  }

  status(): ReadonlyArray<ServerStatus> {
    const { sdk_servers, connected } = this.#clients.registration
    const refused: ReadonlyArray<ServerStatus> = Object.entries(this.#errors).map(([name, error]) => ({
      name,
      status: "failed",
      source: "dynamic",
      scope: "dynamic",
      error,
    }))
    // As the official SDK: disabled servers come after the others, in the order in which they were disabled.
    const enabled = Object.keys(sdk_servers).filter((name) => !this.#disabled.has(name))
    const disabled = [...this.#disabled].filter((name) => this.isClients(name))
    const own = [...enabled, ...disabled].map((name): ServerStatus => {
      const about = { name, source: "sdk", transport: "sdk", scope: "dynamic" } as const
      if (this.#disabled.has(name)) return { ...about, status: "disabled" }
      const known = connected.find((server) => server.name === name)
      if (known !== undefined) {
        const { serverInfo, tools } = known
        const info = serverInfo === undefined ? {} : { serverInfo }
        return { ...about, status: "connected", ...info, tools: tools.map(toolFacts) }
      }
      const error = this.#failed.get(name)
      return error === undefined ? { ...about, status: "pending" } : { ...about, status: "failed", error }
    })
    // As the official SDK: the client's servers are the last.
    return [...this.#remote.status().filter(({ name }) => !this.isClients(name)), ...refused, ...own]
  }

  /** What `mcp_status` reports: states with the fingerprints of tools and the tools that were rejected. */
  report(): ReadonlyArray<ServerReport> {
    const prints = new Map(
      this.tools.map((tool) => [`${tool.mcpServer?.name}/${tool.serverTool}`, toolFingerprint(tool)]),
    )
    const all = this.rejected()
    return this.status().map((server) => {
      const rejected = all.flatMap(({ server: of, ...tool }) => (of === server.name ? [tool] : []))
      if (server.tools === undefined) return server
      const tools = server.tools.map((tool) => {
        const schema_fingerprint = prints.get(`${server.name}/${tool.name}`)
        return schema_fingerprint === undefined ? tool : { ...tool, schema_fingerprint }
      })
      return { ...server, tools, ...(rejected.length === 0 ? {} : { rejected_tools: rejected }) }
    })
  }

  /** The tools of servers that the model does not get, with the reason. */
  rejected(): ReadonlyArray<RefusedTool & { readonly server: string }> {
    const { connected } = this.#clients.registration
    const own = connected.flatMap(({ name, refused = [] }) => refused.map((tool) => ({ ...tool, server: name })))
    const others = [...this.#contested].map(({ name, serverTool = name, mcpServer }) => {
      const reason = `has the name ${name}, which belongs to a tool of another server`
      return { server: mcpServer?.name ?? "", name: serverTool, reason }
    })
    return [...own, ...others, ...this.#remote.rejected.filter(({ server }) => !this.isClients(server))]
  }

  has(name: string): boolean {
    return this.isClients(name) || this.#remote.has(name)
  }

  /** True for a server inside the client. */
  isClients(name: string): boolean {
    return Object.hasOwn(this.#clients.registration.sdk_servers, name)
  }

  /** Sends a client's server the response to a request that it made. Never rejects: a client that is gone needs none. */
  respond(name: string, response: JsonRpcMessage): Promise<unknown> {
    return Effect.runPromise(Effect.result(this.#clientPipe(name).send(response, RESPONSE_MS)))
  }

  /** Reconnects to a server; returns the reason if that fails. */
  async reconnect(name: string): Promise<string | undefined> {
    if (!this.isClients(name)) return this.#remote.reconnect(name)
    await this.connect([name])
    return this.#failed.get(name)
  }

  isDisabled(name: string): boolean {
    return this.#statusOf(name)?.status === "disabled"
  }

  /** Where a server was configured. */
  sourceOf(name: string): string {
    return this.#statusOf(name)?.source ?? "dynamic"
  }

  #statusOf(name: string): ServerStatus | undefined {
    return this.status().find((server) => server.name === name)
  }

  toggle(name: string, enabled: boolean): void {
    this.#changes += 1
    if (!this.isClients(name)) return this.#remote.toggle(name, enabled)
    if (enabled) this.#disabled.delete(name)
    else this.#disabled.add(name)
    this.#tools = null
  }
}

/** The response inside a client's answer; a notification has none. */
const responseIn = (answer: unknown, message: JsonRpcMessage): JsonRpcMessage | null => {
  if (!("id" in message)) return null
  const response = typeof answer === "object" && answer !== null ? Reflect.get(answer, "mcp_response") : null
  // The caller checks that it is a response to its request.
  return typeof response === "object" && response !== null ? (response as JsonRpcMessage) : null
}
