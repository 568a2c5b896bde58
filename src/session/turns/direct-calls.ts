// Receives a tool call that a client makes itself, outside any turn; runs it through the loop's own checks, in their order,
// and returns its result.
// Invariant: a call that could change the workspace runs alone and never during a turn, and its change commits together
// with the first event that records it. The hooks of the session decide as in a turn. No ask is opened: a call that would
// need permission is refused.
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as ManagedRuntime from "effect/ManagedRuntime"
import { batchedCall } from "../../agent/calls/tool-call.ts"
import { Asks, Hooks, Log, ToolLedger, type Turn, TurnContext } from "../../agent/ports.ts"
import { SessionMemory } from "../../agent/transcript/projection.ts"
import type { MessagesApi } from "../../model/messages-api.ts"
import type { Actor } from "../../schemas/access.ts"
import { EventNames } from "../../schemas/log/events.ts"
import type { CallableTools, CallOutcome, ToolCatalogue } from "../../schemas/rpc/tools.ts"
import type { ToolErrorReason } from "../../schemas/sdk/tools/tool-error-reason.ts"
import { KnownFiles } from "../../tools/known-files.ts"
import { callableToolsFor, toolAmong } from "../../tools/registry.ts"
import type { Tool } from "../../tools/tool.ts"
import type { SessionCore } from "../core.ts"
import { type Refusal, refuse } from "../refusal.ts"
import { DirectCall } from "./direct-call.ts"
import { contextOutsideTurn, directCallLog, hooksOutsideTurn, NO_ASKS, NO_LEDGER } from "./outside-turn.ts"
import { withoutFileChanges, reporting } from "./direct-call-tools.ts"
import { toolCatalogue } from "./tool-catalogue.ts"

/** Maximum number of calls that may wait or run at once. */
const MAX_CALLS = 16

const TODOS = "TodoWrite"

/** A call as its client made it; `signal` is aborted when the client cancels it. */
interface AskedCall {
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
  readonly by: Actor | undefined
  readonly signal: AbortSignal
}

export interface DirectCallParts {
  readonly core: SessionCore
  readonly hooks: Hooks["Service"]
  readonly web: Turn["web"]
  readonly runtime: ManagedRuntime.ManagedRuntime<MessagesApi, never>
}

const BUSY = refuse(
  "conflict_error",
  "a turn is open in this session; tools that change something wait until it has ended",
)
const CANCELLED = { cancelled: true } as const
const TOO_MANY = refuse("conflict_error", `the session accepts at most ${MAX_CALLS} concurrent tool calls`)
const DELETED = refuse("conflict_error", "the session is being deleted")

export class DirectCalls {
  readonly #parts: DirectCallParts
  /** Files whose content clients know from their calls; it is independent of what the model knows. */
  #knownFiles: KnownFiles | null = null
  #calls = 0
  /** The running and waiting calls that their client can cancel, by its id for them. */
  readonly #cancellable = new Map<string, AbortController>()
  #isChanging = false
  #tail: Promise<unknown> = Promise.resolve()

  constructor(parts: DirectCallParts) {
    this.#parts = parts
  }

  /** True while a call runs that could change something: no turn may start. */
  get isChanging(): boolean {
    return this.#isChanging
  }

  /** The tools that may be called. */
  listed(): CallableTools {
    const tools = this.#tools()
    const mcp = tools.filter((tool) => tool.mcpServer !== undefined)
    return {
      builtIn: tools.filter((tool) => tool.mcpServer === undefined).map(({ name }) => name),
      mcp: mcp.map((tool) => ({
        name: tool.name,
        description: tool.description,
        inputSchema: tool.inputSchema,
        // Whether its server says that it only reads, whatever the input.
        readOnly: tool.concurrent?.({}) === true,
        destructive: tool.destructive,
        idempotent: tool.idempotent,
      })),
    }
  }

  /** Every tool of a turn, with what can't be used; see `SessionRpc.toolCatalogue`. */
  catalogue(): ToolCatalogue {
    const { mcp, project, record } = this.#parts.core
    const rejected = mcp.rejected().map((tool) => ({ ...tool, source: "mcp" as const }))
    return toolCatalogue(project.withSettings(record.options), mcp.tools, rejected)
  }

  #tools(): ReadonlyArray<Tool> {
    const { mcp, project, record } = this.#parts.core
    return callableToolsFor(project.withSettings(record.options), mcp.tools)
  }

  /** Stops the call with that id; false when none runs or waits. */
  cancel(callId: string): boolean {
    const call = this.#cancellable.get(callId)
    call?.abort()
    return call !== undefined
  }

  async call(
    name: string,
    input: Readonly<Record<string, unknown>>,
    by?: Actor,
    callId?: string,
  ): Promise<CallOutcome | Refusal> {
    if (this.#calls >= MAX_CALLS) return TOO_MANY
    this.#calls += 1
    const abort = new AbortController()
    if (callId !== undefined) this.#cancellable.set(callId, abort)
    const call: AskedCall = { name, input, by, signal: abort.signal }
    try {
      const { capture, state } = this.#parts.core
      if (capture !== null && state === "idle") await capture.prepare(null)
      const loading = toolAmong(this.#tools())(name)?.load?.() ?? null
      if (loading !== null) await loading
      if (this.#changesNoFiles(name, input)) return await this.#run(call, false)
      const mine = this.#tail.then(() => this.#change(call))
      // The next call waits for this one, however it ends; a failure goes to this caller only.
      this.#tail = mine.catch(() => undefined)
      return await mine
    } finally {
      this.#calls -= 1
      // A later call may have the same id.
      if (callId !== undefined && this.#cancellable.get(callId) === abort) this.#cancellable.delete(callId)
    }
  }

  /**
   * True for a call that changes no file, so that it need not wait for others: it only reads, is refused, or is an MCP
   * server's.
   */
  #changesNoFiles(name: string, input: unknown): boolean {
    const tool = toolAmong(this.#tools())(name)
    if (tool === undefined || tool.mcpServer !== undefined) return true
    const decoded = Effect.runSync(Effect.result(tool.decode(input)))
    return decoded._tag === "Failure" || tool.readOnly(decoded.success)
  }

  async #change(call: AskedCall): Promise<CallOutcome | Refusal> {
    if (this.#parts.core.state !== "idle") return BUSY
    this.#isChanging = true
    try {
      return await this.#run(call, true)
    } finally {
      this.#isChanging = false
      // A prompt may have come meanwhile.
      this.#parts.core.wake()
      this.#parts.core.maintenance.flush()
    }
  }

  /** `mayChange`: the call runs alone, so it may change files. */
  async #run({ name, input, by, signal }: AskedCall, mayChange: boolean): Promise<CallOutcome | Refusal> {
    if (signal.aborted) return CANCELLED
    const { core, hooks, runtime } = this.#parts
    const id = core.context.newUuid()
    const record = new DirectCall(core, { id, name, input, tool: toolAmong(this.#tools())(name), by }, this.#known)
    const program = Effect.flatMap(batchedCall({ id, name, input, messageId: id }), (call) => call.run).pipe(
      Effect.provideService(
        Log,
        directCallLog((events, change) => record.write(events, change)),
      ),
      Effect.provideService(Asks, NO_ASKS),
      Effect.provideService(ToolLedger, NO_LEDGER),
      Effect.provideService(Hooks, hooksOutsideTurn(hooks)),
      Effect.provideService(
        TurnContext,
        this.#context(id, { name, mayChange, signal }, (reason) => record.fail(reason)),
      ),
    )
    const exit = await runtime.runPromiseExit(program, { signal })
    if (signal.aborted) {
      record.cancel()
      return CANCELLED
    }
    if (Exit.isFailure(exit)) throw Cause.squash(exit.cause)
    return record.result ?? DELETED
  }

  #context(
    id: string,
    { name, mayChange, signal }: Pick<AskedCall, "name" | "signal"> & { readonly mayChange: boolean },
    failed: (reason: ToolErrorReason) => void,
  ): Turn {
    const { core, web } = this.#parts
    const { cwd } = core.record
    const memory = new SessionMemory(cwd)
    memory.knownFiles.addAll(this.#known)
    // For TodoWrite alone, because reading the session's memory may mean reading its log.
    if (name === TODOS) memory.todos = core.memory.todos
    const tools = this.#tools().map((tool) => reporting(mayChange ? tool : withoutFileChanges(tool), failed))
    return contextOutsideTurn(core, { id, memory, tools, web, signal })
  }

  /** The files that clients know. Read from the log when they are not in memory. */
  get #known(): KnownFiles {
    if (this.#knownFiles !== null) return this.#knownFiles
    const known = new KnownFiles()
    const { log, record } = this.#parts.core
    for (const { event } of log.all(0, { name: EventNames.toolCalled })) known.learn(event.payload.output, record.cwd)
    this.#knownFiles = known
    return known
  }
}
