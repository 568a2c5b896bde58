// A tool's context over a new workspace, and short ways to call a tool as the loop does.
import { Effect, Exit, Cause } from "effect"
import { SessionMemory } from "../../src/agent/transcript/projection.ts"
import { FetchError } from "../../src/net/guarded-fetch.ts"
import { PageCache } from "../../src/tools/web/page-cache.ts"
import type { Todo } from "../../src/tools/context-parts.ts"
import { type Tool, type ToolContext, ToolError, type ToolOutcome } from "../../src/tools/tool.ts"
import { KnownFiles } from "../../src/tools/known-files.ts"
import { NO_FILE_RULES } from "../../src/workspace/file-rules.ts"
import type { WorkspaceOptions } from "../../src/workspace/workspace.ts"
import { openWorkspace } from "../workspace/sql-twin.ts"
import { logEvent } from "../support/session/log-event.ts"

/** The files known from the log of the context's session. */
const memories = new WeakMap<ToolContext, SessionMemory>()

export const openContext = (options: WorkspaceOptions = {}) => {
  const { workspace, clock, twin } = openWorkspace(options)
  const knownFiles = new KnownFiles()
  let todos: ReadonlyArray<Todo> = []
  const abort = new AbortController()
  const memory = new SessionMemory("/workspace")
  const context: ToolContext = {
    workspace,
    cwd: "/workspace",
    root: "/workspace",
    inside: (path) => `${path}/`.startsWith("/workspace/"),
    rules: { command: () => null },
    files: NO_FILE_RULES,
    knownFiles,
    todos: { read: () => todos, write: (next) => void (todos = next) },
    tasks: { read: () => memory.tasks, last: () => memory.lastTask },
    planning: { on: true, next: () => "default", file: "/workspace/.perch/plans/s.md", proposed: undefined },
    fetch: () => Effect.fail(new FetchError({ kind: "refused", message: "There is no network here." })),
    closed: () => false,
    pages: new PageCache(() => 0),
    ask: () => Effect.fail(new ToolError({ reason: "command_failed", message: "There is no model here." })),
    shellNetwork: false,
    shellEnv: {},
    toolUseId: "toolu_test",
    idempotencyKey: "session:toolu_test",
    signal: abort.signal,
  }
  memories.set(context, memory)
  return { workspace, clock, twin, knownFiles, abort, context, todos: () => todos }
}

const failure = <A>(exit: Exit.Exit<A, ToolError>): ToolError => {
  if (Exit.isSuccess(exit)) throw new Error(`expected a failure, got ${JSON.stringify(exit.value)}`)
  const found = Cause.findErrorOption(exit.cause)
  if (found._tag === "None") throw new Error(Cause.pretty(exit.cause))
  return found.value
}

/** Decodes, validates and runs, without the commit. */
const call = <I>(tool: Tool<I>, input: unknown, context: ToolContext): Effect.Effect<ToolOutcome, ToolError> =>
  Effect.gen(function* () {
    const decoded = yield* tool.decode(input)
    if (tool.validate !== undefined) yield* tool.validate(decoded, context)
    return yield* tool.run(decoded, context)
  })

export const run = <I>(tool: Tool<I>, input: unknown, context: ToolContext): Promise<ToolOutcome> =>
  Effect.runPromise(call(tool, input, context))

export const runAndCommit = async <I>(tool: Tool<I>, input: unknown, context: ToolContext): Promise<ToolOutcome> => {
  const outcome = await run(tool, input, context)
  outcome.commit?.([])
  for (const { name, payload } of outcome.facts ?? []) {
    const place = { seq: 1, uuid: "", turn: null, parent_tool_use_id: null, at: 0 }
    memories.get(context)?.apply(logEvent({ ...place, name, payload }), 0)
  }
  return outcome
}

export const fails = async <I>(tool: Tool<I>, input: unknown, context: ToolContext): Promise<ToolError> =>
  failure(await Effect.runPromiseExit(call(tool, input, context)))
