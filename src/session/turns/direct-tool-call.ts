// Receives a tool call that a client makes itself, outside any turn; carries it through the loop's own order of checks
// and returns its result.
// Invariant: a call that could change the workspace runs alone and never during a turn, and its change commits together
// with the first event that records it. The hooks of the session decide as in a turn. No person is asked: what would need
// permission is refused.
import { Effect, type ManagedRuntime } from "effect"
import { SessionMemory } from "../../agent/transcript/projection.ts"
import { Asks, Hooks, Log, ToolLedger, TurnContext, type Turn } from "../../agent/ports.ts"
import { batchedCall } from "../../agent/calls/tool-call.ts"
import type { RefusedTool } from "../../mcp/choose-tools.ts"
import type { MessagesApi } from "../../model/messages-api.ts"
import { policyOf } from "../../permissions/policy.ts"
import type { ToolCalled } from "../../schemas/log/event-payloads.ts"
import { EventNames, type NewEvent } from "../../schemas/log/events.ts"
import { fromSdkResult, type SdkToolResult } from "../../schemas/sdk/adapters/result-adapter.ts"
import type { ToolErrorReason } from "../../schemas/sdk/tools/tool-error-reason.ts"
import { type Actor, actorField } from "../../schemas/access.ts"
import type { CallableTools, CalledTool, ToolCatalogue } from "../../schemas/rpc/tools.ts"
import { KnownFiles } from "../../tools/known-files.ts"
import { callableToolsFor, toolAmong } from "../../tools/registry.ts"
import { toolFingerprint } from "../../tools/tool-fingerprint.ts"
import { type Tool, ToolError } from "../../tools/tool.ts"
import type { Workspace } from "../../workspace/workspace.ts"
import type { SessionLog } from "../storage/log.ts"
import { toolCatalogue } from "./tool-catalogue.ts"
import type { Refusal } from "../refusal.ts"
import type { Session } from "../session.ts"

/** Calls that may wait or run at once. */
const MAX_CALLS = 16
/** A tool of an MCP server gets this long; in a turn it may take longer. */
const MCP_CALL_MS = 120_000

const TODOS = "TodoWrite"

export interface ToolCallDeps {
  readonly session: Session
  readonly log: SessionLog
  readonly workspace: Workspace
  readonly web: Turn["web"]
  readonly runtime: ManagedRuntime.ManagedRuntime<MessagesApi, never>
  readonly hooks: Hooks["Service"]
  /** Those of the MCP servers that the session's client has. */
  readonly mcpTools: () => ReadonlyArray<Tool>
  /** The tools that MCP servers have and a session can't use. */
  readonly mcpRejected: () => ReadonlyArray<RefusedTool & { readonly server: string }>
  readonly now: () => number
  readonly newUuid: () => string
  /** A call that changed something has ended: a prompt may have come meanwhile. */
  readonly changed: () => void
}

const conflict = (message: string): Refusal => ({ refused: { type: "conflict_error", message } })
const BUSY = conflict("a turn is open in this session; tools that change something wait until it has ended")
const TOO_MANY = conflict(`the session takes at most ${MAX_CALLS} tool calls at once`)
const DELETED = conflict("the session is being deleted")

export class ToolCalls {
  readonly #deps: ToolCallDeps
  /** Files whose content clients know through this door; what the model knows is another matter. */
  #knownFiles: KnownFiles | null = null
  #calls = 0
  #changing = false
  #tail: Promise<unknown> = Promise.resolve()

  constructor(deps: ToolCallDeps) {
    this.#deps = deps
  }

  /** True while a call runs that could change something: no turn may begin. */
  get changing(): boolean {
    return this.#changing
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
    const { session, mcpTools, mcpRejected } = this.#deps
    const rejected = mcpRejected().map((tool) => ({ ...tool, source: "mcp" as const }))
    return toolCatalogue(session.record.options, mcpTools(), rejected)
  }

  #tools(): ReadonlyArray<Tool> {
    return callableToolsFor(this.#deps.session.record.options, this.#deps.mcpTools())
  }

  async call(name: string, input: Readonly<Record<string, unknown>>, by?: Actor): Promise<CalledTool | Refusal> {
    if (this.#calls >= MAX_CALLS) return TOO_MANY
    this.#calls += 1
    try {
      if (this.#leavesFiles(name, input)) return await this.#run(name, input, false, by)
      const mine = this.#tail.then(() => this.#change(name, input, by))
      // The next call waits for this one, however it ends; who called hears how.
      this.#tail = mine.catch(() => undefined)
      return await mine
    } finally {
      this.#calls -= 1
    }
  }

  /** A call that will be refused, or that a client's MCP server runs, changes no file: it needs no place in the row. */
  #leavesFiles(name: string, input: unknown): boolean {
    const tool = toolAmong(this.#tools())(name)
    if (tool === undefined || tool.mcpServer !== undefined) return true
    const decoded = Effect.runSync(Effect.result(tool.decode(input)))
    return decoded._tag === "Failure" || tool.readOnly(decoded.success)
  }

  async #change(
    name: string,
    input: Readonly<Record<string, unknown>>,
    by: Actor | undefined,
  ): Promise<CalledTool | Refusal> {
    if (this.#deps.session.state !== "idle") return BUSY
    this.#changing = true
    try {
      return await this.#run(name, input, true, by)
    } finally {
      this.#changing = false
      this.#deps.changed()
    }
  }

  /** `mayChange`: the call runs alone, so it may change files. */
  async #run(
    name: string,
    input: Readonly<Record<string, unknown>>,
    mayChange: boolean,
    by: Actor | undefined,
  ): Promise<CalledTool | Refusal> {
    const id = this.#deps.newUuid()
    const tool = toolAmong(this.#tools())(name)
    let result: CalledTool | Refusal = DELETED
    let why: ToolErrorReason | undefined
    const write = (events: ReadonlyArray<NewEvent>, change?: () => void) => {
      if (this.#deps.session.closed) return
      const kept = events.flatMap(ofNoTurn)
      const said = events.find((event) => event.name === "sdk:user")
      if (said === undefined) {
        if (kept.length > 0) this.#deps.session.append(kept, change)
        return
      }
      const called = resultOf(said, why)
      const fingerprint = tool === undefined ? {} : { schema_fingerprint: toolFingerprint(tool) }
      const payload: ToolCalled = {
        tool_use_id: id,
        tool_name: name,
        input,
        via: "mcp",
        ...fingerprint,
        ...called,
        ...actorField(by),
      }
      this.#deps.session.append([...kept, { name: EventNames.toolCalled, payload }], change)
      this.#known.learn(called.output, this.#deps.session.record.cwd)
      result = called
    }
    const program = Effect.flatMap(batchedCall({ id, name, input, messageId: id }), (call) => call.run).pipe(
      Effect.provideService(Log, {
        append: (events, change) => Effect.sync(() => write(events, () => change?.([]))),
        emit: () => Effect.void,
        beforeModelRequest: () => undefined,
        wantsPartials: () => false,
        hasListeners: () => false,
      }),
      Effect.provideService(Asks, NOBODY),
      Effect.provideService(ToolLedger, NO_LEDGER),
      Effect.provideService(Hooks, besideTurns(this.#deps.hooks)),
      Effect.provideService(
        TurnContext,
        this.#context(id, { name, mayChange }, (reason) => {
          why = reason
        }),
      ),
    )
    await this.#deps.runtime.runPromise(program)
    return result
  }

  #context(
    id: string,
    { name, mayChange }: { readonly name: string; readonly mayChange: boolean },
    failed: (reason: ToolErrorReason) => void,
  ): Turn {
    const { session, workspace, web, now, newUuid } = this.#deps
    const { record } = session
    const memory = new SessionMemory(record.cwd)
    memory.knownFiles.addAll(this.#known)
    // Reading the session's memory may mean reading its log.
    if (name === TODOS) memory.todos = session.memory.todos
    const tools = this.#tools().map((tool) => heard(mayChange ? tool : leavingFiles(tool), failed))
    return {
      sessionId: record.id,
      id,
      cwd: record.cwd,
      root: record.cwd,
      prompt: "",
      named: [],
      origin: undefined,
      options: record.options,
      memory,
      workspace,
      web,
      tools,
      toolByName: toolAmong(tools),
      first: null,
      continues: false,
      silent: false,
      budgets: {},
      run: { mustHandOver: () => false, stuck: false },
      mcpServers: [],
      joining: () => [],
      waiting: () => 0,
      apiKeySource: "none",
      signal: new AbortController().signal,
      policy: () => ({ ...policyOf(record.options, record.permission_updates), prompts: "deny" }),
      modeBeforePlan: () => session.permissions.modeBeforePlan,
      changeMode: () => ({ events: [], commit: () => undefined }),
      now,
      newUuid,
      begin: () => NO_TURN,
      finish: () => NO_TURN,
    }
  }

  /** Read from the log when it is not held. */
  get #known(): KnownFiles {
    if (this.#knownFiles !== null) return this.#knownFiles
    const known = new KnownFiles()
    const { log, session } = this.#deps
    for (let after = 0; ;) {
      const found = log.read({ after, limit: 50, order: "asc", name: EventNames.toolCalled })
      for (const { event } of found) known.learn(event.payload.output, session.record.cwd)
      const last = found.at(-1)
      if (last === undefined) break
      after = last.event.seq
    }
    this.#knownFiles = known
    return known
  }
}

const NO_TURN = Effect.die(new Error("a call by a client has no turn"))

/** The policy denies what it would ask, so no question is ever opened. */
const NOBODY: Asks["Service"] = {
  find: () => undefined,
  open: () => Effect.die(new Error("a call by a client asks nobody")),
  wait: () => Effect.succeed(null),
  settle: () => Effect.void,
}

/** The session's hooks, with inputs that name no turn. A deferral is a refusal: nothing takes the call up later. */
const besideTurns = (hooks: Hooks["Service"]): Hooks["Service"] => ({
  listens: (event) => hooks.listens(event),
  run: (event, input, toolUseId) =>
    Effect.map(hooks.run(event, withoutTurn(input), toolUseId), (outcome) =>
      outcome.permission?.behavior === "defer"
        ? { ...outcome, permission: { behavior: "deny", reason: outcome.permission.reason ?? PUT_OFF } }
        : outcome,
    ),
})

const PUT_OFF = "a hook put this call off, and outside a turn nothing takes it up later"

const withoutTurn = ({ prompt_id: _, ...input }: Readonly<Record<string, unknown>>): Record<string, unknown> => input

/** Of the events that a turn would have, those that the log keeps of a call that belongs to none. */
const ofNoTurn = (event: NewEvent): ReadonlyArray<NewEvent> => {
  if (event.name === EventNames.hookFired) {
    const { payload } = event
    return [{ ...event, turn: null, payload: { ...payload, input: withoutTurn(payload.input) } }]
  }
  return event.name === EventNames.callFinished || event.name === EventNames.toolRan ? [{ ...event, turn: null }] : []
}

/** The same tool for a call that was admitted during a turn: it does not run with an input that a hook made one of another kind. */
const leavingFiles = (tool: Tool): Tool => ({
  ...tool,
  run: (input, context) =>
    tool.mcpServer !== undefined || tool.readOnly(input)
      ? tool.run(input, context)
      : Effect.fail(
          new ToolError({
            reason: "permission_denied",
            message: "A hook made this call one that changes files. Make that call itself.",
          }),
        ),
})

/** Nothing runs a client's call again, so it needs no note of having begun. */
const NO_LEDGER: ToolLedger["Service"] = {
  wasStarted: () => false,
  startedAt: () => 0,
  start: () => Effect.void,
  settle: () => undefined,
}

/** The same tool, whose failures are also told to `failed`; one of an MCP server ends in time. A call moves no conversation. */
const heard = (tool: Tool, failed: (reason: ToolErrorReason) => void): Tool => {
  const { validate } = tool
  const telling = <A>(effect: Effect.Effect<A, ToolError>) =>
    Effect.tapError(effect, ({ reason }) => Effect.sync(() => failed(reason)))
  return {
    ...tool,
    decode: (input) => telling(tool.decode(input)),
    ...(validate === undefined ? {} : { validate: (input, context) => telling(validate(input, context)) }),
    run: (input, context) =>
      telling(
        Effect.map(
          tool.mcpServer === undefined ? tool.run(input, context) : inTime(tool.run(input, context)),
          ({ cwd: _, ...outcome }) => outcome,
        ),
      ),
  }
}

const inTime = <A>(effect: Effect.Effect<A, ToolError>): Effect.Effect<A, ToolError> =>
  Effect.timeoutOrElse(effect, {
    duration: MCP_CALL_MS,
    orElse: () =>
      Effect.fail(new ToolError({ reason: "timeout", message: `the tool gave no result within ${MCP_CALL_MS} ms` })),
  })

/** What the loop's tool result message says. `why` is what the tool said of its failure. */
const resultOf = ({ payload }: NewEvent<"sdk:user">, why: ToolErrorReason | undefined): CalledTool => {
  const { message, tool_use_result, tool_result_meta } = payload
  // The loop's `toolResultMessage` made this payload: its one block is the result.
  const block = message.content[0] as SdkToolResult["block"]
  const result = fromSdkResult({ block, tool_use_result })
  const denied = tool_result_meta?.[0]?.permission_decision?.decision === "reject"
  const reason = denied ? "permission_denied" : why
  return result.is_error !== true || reason === undefined ? result : { ...result, reason }
}
