// Receives a tool call that a client makes itself, outside any turn; carries it through the loop's own order of checks
// and returns its result.
// Invariant: a call that could change something runs alone and never beside a turn, and its change and its one event,
// `tool:called`, commit together. Nobody is asked: what would need permission is refused.
import { Effect } from "effect"
import { SessionMemory } from "../agent/memory.ts"
import { Asks, Hooks, Log, ToolLedger, TurnContext } from "../agent/ports.ts"
import { batchedCall } from "../agent/tool-calls.ts"
import { NO_HOOKS as NO_OUTCOME } from "../hooks/outcome.ts"
import { policyOf } from "../permissions/policy.ts"
import { EventNames, type NewEvent, type ToolCalled } from "../schemas/events.ts"
import { fromSdkResult, type SdkToolResult } from "../schemas/sdk/adapters/result-adapter.ts"
import type { CalledTool } from "../schemas/session-rpc.ts"
import { toolByName, workspaceToolsFor } from "../tools/registry.ts"
import { normalizePath } from "../workspace/paths.ts"
import type { Workspace } from "../workspace/workspace.ts"
import type { SessionLog } from "./log.ts"
import type { Refusal, Session } from "./session.ts"

/** Calls that may wait or run at once. */
const MAX_CALLS = 16

export interface ToolCallDeps {
  readonly session: Session
  readonly log: SessionLog
  readonly workspace: Workspace
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
  #knownFiles: Set<string> | null = null
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

  async call(name: string, input: Readonly<Record<string, unknown>>): Promise<CalledTool | Refusal> {
    if (this.#calls >= MAX_CALLS) return TOO_MANY
    this.#calls += 1
    try {
      if (this.#onlyReads(name, input)) return await this.#run(name, input)
      const mine = this.#tail.then(() => this.#change(name, input))
      // The next call waits for this one, however it ends; who called hears how.
      this.#tail = mine.catch(() => undefined)
      return await mine
    } finally {
      this.#calls -= 1
    }
  }

  /** A call that will be refused reads nothing and changes nothing: it needs no place in the row. */
  #onlyReads(name: string, input: unknown): boolean {
    const tool = toolByName(name)
    if (tool === undefined) return true
    const decoded = Effect.runSync(Effect.result(tool.decode(input)))
    return decoded._tag === "Failure" || tool.readOnly(decoded.success)
  }

  async #change(name: string, input: Readonly<Record<string, unknown>>): Promise<CalledTool | Refusal> {
    if (this.#deps.session.state !== "idle") return BUSY
    this.#changing = true
    try {
      return await this.#run(name, input)
    } finally {
      this.#changing = false
      this.#deps.changed()
    }
  }

  async #run(name: string, input: Readonly<Record<string, unknown>>): Promise<CalledTool | Refusal> {
    const id = this.#deps.newUuid()
    let result: CalledTool | Refusal = DELETED
    const write = (events: ReadonlyArray<NewEvent>, change?: () => void) => {
      const said = events.find((event) => event.name === "sdk:user")
      if (said === undefined || this.#deps.session.closed) return
      const called = resultOf(said)
      const payload: ToolCalled = { tool_use_id: id, tool_name: name, input, via: "mcp", ...called }
      this.#deps.session.append([{ name: EventNames.toolCalled, payload }], change)
      learn(this.#known, called.output, this.#deps.session.record.cwd)
      result = called
    }
    const program = Effect.flatMap(batchedCall({ id, name, input, messageId: id }), (call) => call.run).pipe(
      Effect.provideService(Log, {
        append: (events, change) => Effect.sync(() => write(events, () => change?.([]))),
        emit: () => Effect.void,
        wantsPartials: () => false,
        heard: () => false,
      }),
      Effect.provideService(Asks, NOBODY),
      Effect.provideService(ToolLedger, NO_LEDGER),
      Effect.provideService(Hooks, NO_HOOKS),
      Effect.provideService(TurnContext, this.#context(id)),
    )
    await Effect.runPromise(program)
    return result
  }

  #context(id: string): TurnContext["Service"] {
    const { session, workspace, now, newUuid } = this.#deps
    const { record } = session
    const memory = new SessionMemory(record.cwd)
    for (const path of this.#known) memory.knownFiles.add(path)
    return {
      sessionId: record.id,
      turn: id,
      cwd: record.cwd,
      prompt: "",
      options: record.options,
      memory,
      workspace,
      tools: workspaceToolsFor(record.options),
      toolByName,
      first: null,
      continues: false,
      silent: false,
      mcpServers: [],
      joining: () => [],
      apiKeySource: "none",
      signal: new AbortController().signal,
      policy: () => ({ ...policyOf(record.options, record.permission_updates), prompts: "deny" }),
      now,
      newUuid,
      begin: () => NO_TURN,
      finish: () => NO_TURN,
    }
  }

  /** Read from the log when it is not held. */
  get #known(): Set<string> {
    if (this.#knownFiles !== null) return this.#knownFiles
    const known = new Set<string>()
    const { log, session } = this.#deps
    const page = 50
    for (let after = 0; ;) {
      const found = log.read({ after, limit: page, order: "asc", name: EventNames.toolCalled })
      // The log wrote these payloads.
      for (const { event } of found) learn(known, (event.payload as ToolCalled).output, session.record.cwd)
      if (found.length < page) break
      after = found.at(-1)?.event.seq ?? after
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

/** Hooks hear of what the model does, not of what a client does itself. */
const NO_HOOKS: Hooks["Service"] = { listens: () => false, run: () => Effect.succeed(NO_OUTCOME) }

/** Nothing runs a client's call again, so it needs no note of having begun. */
const NO_LEDGER: ToolLedger["Service"] = {
  wasStarted: () => false,
  start: () => Effect.void,
  settle: () => undefined,
}

/** What the loop's tool result message says. */
const resultOf = (event: NewEvent): CalledTool => {
  // The loop's `toolResultMessage` made this payload, with one block.
  const { message, tool_use_result } = event.payload as {
    readonly message: { readonly content: readonly [SdkToolResult["block"]] }
    readonly tool_use_result: unknown
  }
  return fromSdkResult({ block: message.content[0], tool_use_result })
}

/** Adds the file that a structured result tells of. */
const learn = (known: Set<string>, output: unknown, cwd: string): void => {
  if (typeof output !== "object" || output === null) return
  const { filePath, file } = output as { readonly filePath?: unknown; readonly file?: { readonly filePath?: unknown } }
  const path = filePath ?? file?.filePath
  if (typeof path === "string") known.add(normalizePath(path, cwd))
}
