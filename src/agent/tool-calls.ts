// Receives one tool_use block; carries it through look-up, decoding, the tool's own checks, hooks, permission, the run
// and its result. The order is written here and nowhere else.
// Invariant: every path but a parked or stopped call appends exactly one tool_result.
import { Cause, Effect, Exit } from "effect"
import { hookFired, type HookEventName } from "../hooks/inputs.ts"
import { decide, type Decision } from "../permissions/decide.ts"
import type { NewEvent } from "../schemas/events.ts"
import { analyzeShell } from "../tools/shell-analysis.ts"
import { type Tool, type ToolContext, type ToolError, type ToolOutcome } from "../tools/tool.ts"
import { compileGlob, GlobError } from "../workspace/glob-pattern.ts"
import type { BatchedCall, CallEnd } from "./call-batch.ts"
import { logDefect } from "./defect.ts"
import { type AskAnswer, Asks, Log, ToolLedger, TurnContext } from "./ports.ts"
import { type PermissionNote, type ResultNote, type Stamp, systemMessage, toolResultMessage } from "./sdk-messages.ts"
import type { ToolUse } from "./transcript.ts"

export type CallServices = Log | Asks | ToolLedger | TurnContext

export const REJECTED_TEXT =
  "The user does not want to go on with this tool call, and it was rejected. Stop here and wait for what the user says next."

export const UNKNOWN_OUTCOME_TEXT =
  "The server stopped before the result of this call was recorded, so its outcome is unknown. Check whether it took effect before you rely on it or call it again."

/** A call as the batch takes it. A call that will be refused is safe: it does nothing. */
export const batchedCall = Effect.fnUntraced(function* (
  use: ToolUse,
): Effect.fn.Return<BatchedCall<CallServices>, never, TurnContext> {
  const { toolByName, tools } = yield* TurnContext
  const tool = toolByName(use.name)
  if (tool === undefined || !tools.includes(tool)) {
    return {
      safe: true,
      run: refuse(use, `<tool_use_error>Error: No such tool available: ${use.name}</tool_use_error>`),
    }
  }
  const decoded = yield* Effect.exit(tool.decode(use.input))
  if (Exit.isFailure(decoded)) {
    const error = Cause.findErrorOption(decoded.cause)
    const message = error._tag === "Some" ? error.value.message : "the input could not be read"
    return { safe: true, run: refuse(use, `<tool_use_error>${message}</tool_use_error>`) }
  }
  const run = runCall(use, tool, decoded.value).pipe(
    Effect.catchCause((cause) => Effect.flatMap(defect(cause), (broken) => append(use, broken))),
  )
  return { safe: tool.readOnly(decoded.value), run }
})

const runCall = Effect.fnUntraced(function* (
  use: ToolUse,
  tool: Tool,
  input: unknown,
): Effect.fn.Return<CallEnd, never, CallServices> {
  const ledger = yield* ToolLedger
  if (ledger.wasStarted(use.id)) {
    return yield* append(use, {
      content: UNKNOWN_OUTCOME_TEXT,
      isError: true,
      output: `Error: ${UNKNOWN_OUTCOME_TEXT}`,
    })
  }
  const context = yield* toolContext(use)
  if (tool.validate !== undefined) {
    const checked = yield* Effect.result(tool.validate(input, context))
    if (checked._tag === "Failure")
      return yield* refuse(use, `<tool_use_error>${checked.failure.message}</tool_use_error>`)
  }
  yield* preToolUse(use)
  const permit = yield* permission(use, tool, input)
  if (permit.kind === "end") return permit.end
  return yield* execute(use, tool, permit.input, context, permit.note)
})

const toolContext = (use: ToolUse): Effect.Effect<ToolContext, never, TurnContext> =>
  Effect.map(TurnContext, (turn) => ({
    workspace: turn.workspace,
    cwd: turn.cwd,
    knownFiles: turn.memory.knownFiles,
    todos: {
      read: () => turn.memory.todos,
      write: (todos) => {
        turn.memory.todos = todos
      },
    },
    toolUseId: use.id,
    signal: turn.signal,
  }))

/** Fires once per call: a call that a crash or a parked turn brings back has fired already. */
const preToolUse = Effect.fnUntraced(function* (use: ToolUse): Effect.fn.Return<void, never, CallServices> {
  const turn = yield* TurnContext
  if (turn.memory.accounting.tally?.hookedCalls.has(use.id) === true) return
  const log = yield* Log
  yield* log.append([hook(turn, "PreToolUse", { tool_name: use.name, tool_input: use.input, tool_use_id: use.id })])
})

type Permit =
  | { readonly kind: "go"; readonly input: unknown; readonly note: PermissionNote }
  | { readonly kind: "end"; readonly end: CallEnd }

const permission = Effect.fnUntraced(function* (
  use: ToolUse,
  tool: Tool,
  input: unknown,
): Effect.fn.Return<Permit, never, CallServices> {
  const asks = yield* Asks
  const known = asks.find(use.id)
  if (known !== undefined) {
    const answer = known.answer ?? (yield* asks.wait(known.requestId))
    return yield* answered(use, tool, input, answer)
  }
  const turn = yield* TurnContext
  const decision = decide(judged(tool, input, turn.cwd), turn.policy())
  if (decision.behavior === "allow") {
    return { kind: "go", input, note: { decision: "accept", source: "config", reason_type: decision.reason.type } }
  }
  if (decision.behavior === "deny" || turn.policy().prompts === "deny") return yield* denied(use, decision)
  const requestId = turn.newUuid()
  yield* openAsk(use, requestId, decision)
  return yield* answered(use, tool, input, yield* asks.wait(requestId))
})

const judged = (tool: Tool, input: unknown, cwd: string) => {
  const command = (input as { command?: unknown } | null)?.command
  return {
    toolName: tool.name,
    paths: tool.paths(input, cwd),
    cwd,
    matchesGlob,
    readOnly: tool.readOnly(input),
    edits: tool.edits(input),
    internal: tool.internal === true,
    ...(tool.name === "Bash" && typeof command === "string" ? { command, shell: analyzeShell(command, cwd) } : {}),
  }
}

const matchesGlob = (glob: string, path: string): boolean | null => {
  try {
    return compileGlob(glob)(path.slice(1))
  } catch (error) {
    if (error instanceof GlobError) return null
    throw error
  }
}

/** A denial that nobody was asked about: it is told to clients as `permission_denied`. */
const denied = Effect.fnUntraced(function* (
  use: ToolUse,
  decision: Exclude<Decision, { behavior: "allow" }>,
): Effect.fn.Return<Permit, never, CallServices> {
  const turn = yield* TurnContext
  const { message, reason } = decision
  const end = yield* append(
    use,
    { content: message, isError: true, output: `Error: ${message}` },
    {
      notExecuted: reason.type === "rule" ? "permission-rule" : "user-rejected",
      permission: { decision: "reject", source: "config", reason_type: reason.type },
    },
    [
      systemMessage(stamp(turn), "permission_denied", {
        tool_name: use.name,
        tool_use_id: use.id,
        decision_reason_type: reason.type,
        decision_reason: reason.text,
        message,
      }),
      hook(turn, "PermissionDenied", {
        tool_name: use.name,
        tool_input: use.input,
        tool_use_id: use.id,
        reason: reason.text,
      }),
    ],
  )
  return { kind: "end", end }
})

const openAsk = Effect.fnUntraced(function* (
  use: ToolUse,
  requestId: string,
  decision: Extract<Decision, { behavior: "ask" }>,
): Effect.fn.Return<void, never, CallServices> {
  const turn = yield* TurnContext
  const asks = yield* Asks
  yield* asks.open(
    {
      request_id: requestId,
      kind: "permission",
      tool_name: use.name,
      tool_use_id: use.id,
      // A tool_use that was decoded has an object as its input.
      input: use.input as Record<string, unknown>,
      suggestions: decision.suggestions,
      decision_reason: decision.reason.text,
      decision_reason_type: decision.reason.type,
      ...(decision.blockedPath === undefined ? {} : { blocked_path: decision.blockedPath }),
    },
    [
      hook(turn, "PermissionRequest", {
        tool_name: use.name,
        tool_input: use.input,
        permission_suggestions: decision.suggestions,
      }),
      hook(turn, "Notification", {
        message: `Permission is needed to use ${use.name}`,
        notification_type: "permission_prompt",
      }),
    ],
  )
})

const answered = Effect.fnUntraced(function* (
  use: ToolUse,
  tool: Tool,
  input: unknown,
  settled: AskAnswer | null,
): Effect.fn.Return<Permit, never, CallServices> {
  if (settled === null) return { kind: "end", end: "parked" }
  const { answer } = settled
  if (answer["behavior"] === "allow") {
    const note: PermissionNote = { decision: "accept", source: "user_temporary" }
    if (answer["updatedInput"] === undefined) return { kind: "go", input, note }
    const decoded = yield* Effect.result(tool.decode(answer["updatedInput"]))
    if (decoded._tag === "Success") return { kind: "go", input: decoded.success, note }
    return { kind: "end", end: yield* refuse(use, `<tool_use_error>${decoded.failure.message}</tool_use_error>`) }
  }
  const permission: PermissionNote = { decision: "reject", source: "user_reject" }
  if (answer["interrupt"] === true) {
    yield* append(
      use,
      { content: REJECTED_TEXT, isError: true, output: `Error: ${REJECTED_TEXT}` },
      { notExecuted: "user-rejected", permission },
    )
    return { kind: "end", end: "stopped" }
  }
  const message = String(answer["message"] ?? "The permission was denied.")
  const result = { content: message, isError: true, output: `Error: ${message}` }
  return { kind: "end", end: yield* append(use, result, { notExecuted: "permission-rule", permission }) }
})

const execute = Effect.fnUntraced(function* (
  use: ToolUse,
  tool: Tool,
  input: unknown,
  context: ToolContext,
  permission: PermissionNote,
): Effect.fn.Return<CallEnd, never, CallServices> {
  const turn = yield* TurnContext
  const ledger = yield* ToolLedger
  const outside = tool.outside(input)
  if (outside) yield* ledger.start(use.id, tool.name)
  const startedAt = turn.now()
  const outcome = yield* tool.run(input, context).pipe(
    Effect.catch((error) => Effect.succeed(failure(error))),
    Effect.catchCause(defect),
  )
  const facts = { tool_name: use.name, tool_input: input, tool_use_id: use.id, duration_ms: turn.now() - startedAt }
  const hooked =
    outcome.isError === true
      ? hook(turn, "PostToolUseFailure", { ...facts, error: textOf(outcome.content), is_interrupt: false })
      : hook(turn, "PostToolUse", { ...facts, tool_response: outcome.output })
  const settle = () => {
    if (outside) ledger.settle(use.id)
  }
  return yield* append(use, outcome, { permission }, [hooked], () => {
    outcome.commit?.()
    settle()
  }).pipe(
    // The transaction rolled back: the changes could not be applied, and the model is told so.
    Effect.catchCause((cause) =>
      Effect.flatMap(defect(cause), (broken) => append(use, broken, { permission }, [], settle)),
    ),
  )
})

const failure = (error: ToolError): ToolOutcome => ({
  content: error.message,
  isError: true,
  output: error.output ?? `Error: ${error.message}`,
})

/** A tool that breaks still gives the model a result; what broke is for the server's log alone. */
const defect = (cause: Cause.Cause<never>): Effect.Effect<ToolOutcome> => {
  if (Cause.hasInterrupts(cause)) return Effect.failCause(cause)
  const text = "The tool failed inside the server. Nothing of this call was applied."
  return Effect.as(logDefect("a tool failed", cause), { content: text, isError: true, output: `Error: ${text}` })
}

/** A call that never reached its hooks. */
const refuse = (use: ToolUse, text: string): Effect.Effect<CallEnd, never, CallServices> =>
  append(use, { content: text, isError: true, output: `Error: ${text.replaceAll(/<\/?tool_use_error>/g, "")}` })

const append = Effect.fnUntraced(function* (
  use: ToolUse,
  result: { readonly content: unknown; readonly isError?: boolean; readonly output: unknown },
  note: ResultNote = {},
  before: ReadonlyArray<NewEvent> = [],
  change?: () => void,
): Effect.fn.Return<CallEnd, never, CallServices> {
  const log = yield* Log
  const turn = yield* TurnContext
  yield* log.append([...before, toolResultMessage(stamp(turn), use, result, note)], change)
  return "done"
})

export const stamp = (turn: TurnContext["Service"]): Stamp => ({
  sessionId: turn.sessionId,
  turn: turn.turn,
  uuid: turn.newUuid(),
  at: turn.now(),
})

/** A hook event of the running turn. */
export const hook = (
  turn: TurnContext["Service"],
  name: HookEventName,
  extra: Readonly<Record<string, unknown>>,
): NewEvent =>
  hookFired(
    { sessionId: turn.sessionId, cwd: turn.cwd, turn: turn.turn, permissionMode: turn.policy().mode },
    turn.newUuid(),
    name,
    extra,
  )

const textOf = (content: ToolOutcome["content"]): string =>
  typeof content === "string"
    ? content
    : content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n")
