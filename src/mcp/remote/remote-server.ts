// One remote server of a session: connects to it when a turn starts, keeps its tools, and reports its state.
// Invariant: `prepare` never fails and takes a limited time; a server that failed does not delay later turns until it is
// retried.
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Tool } from "../../tools/tool.ts"
import { connectMcp, type ConnectedMcp, type McpPipeError, relistTools } from "../client-server.ts"
import { mcpTool } from "../mcp-tool.ts"
import { listPrompts } from "../prompts.ts"
import type { RemoteConfig } from "./remote-config.ts"
import { RemotePipe, type RemotePipeDeps } from "./remote-pipe.ts"

const CONNECT_MS = 30_000
const MIN_CONNECT_MS = 1000
/** The time after a failure in which turns do not retry the server; `connect` does. */
const RETRY_AFTER_MS = 30_000
/** A list of tools that may change is requested again after this time, even if the server announced no change. */
const LIST_AGAIN_MS = 60_000
/** A turn requests changed lists at most this often. */
const MAX_RELISTS = 10

export interface RemoteServerDeps {
  readonly name: string
  readonly config: RemoteConfig
  readonly open: RemotePipeDeps["open"]
  readonly secrets?: () => ReadonlyArray<string>
  readonly answer: RemotePipeDeps["answer"]
  readonly pageDone: RemotePipeDeps["pageDone"]
  /** The server has other tools since a change that it announced during a turn. */
  readonly toolsChanged: () => void
  readonly now: () => number
}

interface Failure {
  readonly message: string
  readonly unauthorized: boolean
  readonly at: number
}

export class RemoteServer {
  readonly name: string
  readonly config: RemoteConfig
  readonly pipe: RemotePipe
  readonly #now: () => number
  readonly #toolsChanged: () => void
  #connected: ConnectedMcp | null = null
  #tools: ReadonlyArray<Tool> = []
  #failure: Failure | null = null
  #listedAt = 0
  #stale = false
  #working: Promise<void> | null = null
  /** How often the turn has requested changed lists. */
  #relists = 0
  #holdsPipe = false
  #closed = false

  constructor({ name, config, now, toolsChanged, ...deps }: RemoteServerDeps) {
    this.name = name
    this.config = config
    this.#now = now
    this.#toolsChanged = toolsChanged
    const listsChanged = () => {
      this.#stale = true
      this.#listNow()
    }
    this.pipe = new RemotePipe({ config, ...deps, listsChanged })
  }

  /** The server's description and tools; null until it is connected, and after a failure. */
  get connected(): ConnectedMcp | null {
    return this.#connected
  }

  get failure(): Pick<Failure, "message" | "unauthorized"> | null {
    return this.#failure
  }

  get tools(): ReadonlyArray<Tool> {
    return this.#tools
  }

  /** Connects the server for a turn, or updates its tools if needed; its stream stays open until `rest`. */
  async prepare(): Promise<void> {
    this.#relists = 0
    if (!this.#holdsPipe && !this.#closed) {
      this.#holdsPipe = true
      this.pipe.hold()
    }
    if (this.#working !== null) return this.#working
    if (this.#connected === null) {
      const waits = this.#failure !== null && this.#now() - this.#failure.at < RETRY_AFTER_MS
      return waits ? undefined : this.connect()
    }
    const old = this.pipe.can.listChanged && this.#now() - this.#listedAt >= LIST_AGAIN_MS
    return this.#stale || old ? this.#work(this.#relist(this.#connected)) : undefined
  }

  /** Connects again, whatever the state. */
  connect(): Promise<void> {
    if (this.#working !== null) return this.#working
    const { name, config, pipe } = this
    return this.#work(Effect.flatMap(connectMcp(name, pipe, config.tools, config.timeout), (one) => this.#prompts(one)))
  }

  /**
   * As the official SDK: during a turn, changed lists are requested at once. If that fails, or they change too often, the next turn
   * requests them.
   */
  #listNow(): void {
    const connected = this.#connected
    if (!this.#stale || !this.#holdsPipe || connected === null || this.#working !== null) return
    if (this.#relists === MAX_RELISTS) return
    this.#relists += 1
    let again = true
    const failed = () => {
      this.#stale = true
      again = false
    }
    void this.#work(this.#relist(connected), failed).then(() => {
      this.#toolsChanged()
      if (again) this.#listNow()
    })
  }

  #relist(connected: ConnectedMcp): Effect.Effect<ConnectedMcp, McpPipeError> {
    return Effect.flatMap(relistTools(connected, this.pipe, this.config.tools), (one) => this.#prompts(one))
  }

  #prompts(connected: ConnectedMcp): Effect.Effect<ConnectedMcp> {
    if (connected.prompts === undefined) return Effect.succeed(connected)
    return Effect.map(listPrompts(this.pipe), (prompts) => ({ ...connected, prompts }))
  }

  #work(
    effect: Effect.Effect<ConnectedMcp, McpPipeError>,
    failed: (message: string) => void = (message) => this.#failed(message),
  ): Promise<void> {
    const limit = Math.max(MIN_CONNECT_MS, Math.min(this.config.timeout ?? CONNECT_MS, CONNECT_MS))
    const limited = Effect.timeoutOrElse(effect, {
      duration: limit,
      orElse: () => Effect.fail({ message: `The server could not be connected within ${limit} ms.` }),
    })
    this.pipe.hold()
    this.#stale = false
    this.#working = Effect.runPromiseExit(Effect.result(limited)).then((exit) => {
      this.#working = null
      if (Exit.isFailure(exit)) failed("The server could not be connected.")
      else if (exit.value._tag === "Failure") failed(exit.value.failure.message)
      else this.#has(exit.value.success)
      this.pipe.release()
    })
    return this.#working
  }

  #has(connected: ConnectedMcp): void {
    this.#connected = connected
    this.#tools = connected.tools.map((tool) => mcpTool(connected, tool, this.pipe, this.config.source))
    this.#listedAt = this.#now()
    this.#failure = null
  }

  #failed(message: string): void {
    this.#connected = null
    this.#tools = []
    this.#failure = { message, unauthorized: this.pipe.unauthorized, at: this.#now() }
    this.pipe.close()
  }

  /** Clears the failure, whose reason may no longer apply: the next turn retries. */
  clearFailure(): void {
    this.#failure = null
  }

  /** To be called when no turn runs: the stream is closed. */
  rest(): void {
    if (!this.#holdsPipe) return
    this.#holdsPipe = false
    this.pipe.release()
  }

  /** To be called when the session no longer uses the server: ends the connection. */
  close(): void {
    this.#closed = true
    this.rest()
    this.pipe.close()
  }
}
