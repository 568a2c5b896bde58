// Receives one tool_use block; takes it through look-up, decoding, the tool's own checks, hooks, permission, the run and
// its result. The order of these stages is defined only here.
// Invariant: every path but a parked, deferred or stopped call appends exactly one tool_result.
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { HookOutcome } from "../../hooks/outcome.ts"
import { MessagesApi } from "../../model/messages-api.ts"
import { brokenBound } from "../../model/answer/stream-decoder.ts"
import { refusedCommand } from "../../permissions/command-rules.ts"
import { deniedPath, lateDenial } from "../../permissions/decide.ts"
import { deniedUrls } from "../../permissions/denied-urls.ts"
import { withoutDenials } from "../../permissions/policy.ts"
import { type Bounds, refusedFile, refusesNothing } from "../../permissions/file-rules.ts"
import { EventNames, type NewEvent } from "../../schemas/log/events.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"
import { namesOf } from "../../workspace/touched-path.ts"
import { toolFingerprint } from "../../tools/tool-fingerprint.ts"
import type { Printed, ShellRules } from "../../tools/context-parts.ts"
import { errorOutcome, type Tool, type ToolContext } from "../../tools/tool.ts"
import type { FileRules } from "../../workspace/file-rules.ts"
import { askModel } from "../ask-model.ts"
import { type Call, decodeGiven, invalidInputText, knownParameters } from "./call.ts"
import { type BatchedCall, BeforeRun, type CallEnd } from "./call-batch.ts"
import { recoverCall, type Recovered } from "./unknown-outcome.ts"
import { clientRun } from "./client-run.ts"
import { fire, hookFacts } from "./hook-events.ts"
import { isInside, planFileOf } from "../../permissions/places.ts"
import { judgedCall, matchesGlob } from "./judged-call.ts"
import { permission } from "./permission.ts"
import { Asks, type CallServices, Hooks, Log, ToolLedger, TurnContext, type Turn } from "../ports.ts"
import { append, brokenTool, execute, refuse } from "./run-tool.ts"
import { showTask } from "./show-task.ts"
import { runAgent } from "../subagents/run-agent.ts"
import { runSkill } from "../project/run-skill.ts"
import { skillsFor } from "../project/skill-access.ts"
import type { ToolUse } from "../transcript/transcript.ts"

/** Prepares a call for the batch. A call that will be refused is safe: it does nothing. */
export const batchedCall = Effect.fnUntraced(function* (
  use: ToolUse,
): Effect.fn.Return<BatchedCall<CallServices>, never, TurnContext> {
  const { toolByName, tools } = yield* TurnContext
  const tool = toolByName(use.name)
  if (tool === undefined || !tools.includes(tool)) {
    return { safe: true, run: refuse(use, `Error: No such tool available: ${use.name}`) }
  }
  const problem = brokenBound(use.input)
  if (problem !== undefined) {
    return { safe: true, run: refuse(use, `InputValidationError: the input of ${use.name} ${problem}.`) }
  }
  const given = tool.ignoresUnknown === true ? knownParameters(tool, use.input) : use.input
  const decoded = yield* Effect.exit(tool.decode(given))
  if (Exit.isFailure(decoded)) {
    const error = Cause.findErrorOption(decoded.cause)
    const message = error._tag === "Some" ? error.value.message : "the input could not be parsed"
    return { safe: true, run: refuse(use, message) }
  }
  const loading = tool.load?.() ?? null
  if (loading !== null) yield* Effect.promise(() => loading)
  const run = runCall({ use, tool, input: decoded.value }).pipe(
    Effect.catchCause((cause) => Effect.flatMap(brokenTool(cause), (broken) => append(use, broken))),
  )
  return { safe: (tool.concurrent ?? tool.readOnly)(decoded.value), run }
})

const BY_RULE = { permission: { decision: "reject", source: "config", reason_type: "rule" } } as const

const runCall = Effect.fnUntraced(function* ({
  use,
  tool,
  input: written,
}: Call): Effect.fn.Return<CallEnd, never, CallServices> {
  const turn = yield* TurnContext
  // A prompt ends the turn as soon as the calls that run have ended.
  if (turn.isReplaced()) return "stopped"
  const ledger = yield* ToolLedger
  const asks = yield* Asks
  const log = yield* Log
  const ask = askModel(yield* MessagesApi, log, turn, use)
  const context = {
    ...toolContext(turn, use, tool, { hasAsk: asks.find(use.id) !== undefined, ask }),
    showPrinted: showPrinted(log, turn, use),
    showTask: showTask(log, turn, use),
  }
  const resolved = tool.resolve?.(written, context) ?? written
  const call: Call = { use, tool, input: tool.enrich === undefined ? resolved : tool.enrich.add(resolved, context) }
  const ran = turn.memory.accounting.tally?.ran.get(use.id)
  if (ran !== undefined) return yield* execute({ call, context })
  if (ledger.wasStarted(use.id)) {
    const recovered = yield* recoverCall(use, tool)
    if (recovered.kind === "end") return recovered.end
    if (recovered.kind === "allowed") return yield* runAllowed(call, context, recovered)
  }
  const judged = judgedCall(call, context, turn)
  const forbidden = deniedPath(judged, turn.policy())
  if (forbidden !== null) return yield* refuse(use, forbidden, BY_RULE, `Error: ${forbidden}`)
  if (tool.validate !== undefined) {
    const checked = yield* Effect.result(tool.validate(call.input, context))
    if (checked._tag === "Failure") {
      const { message, output = `Error: ${message}` } = checked.failure
      return yield* refuse(use, message, {}, output)
    }
  }
  const { outcome: hooked, unwritten } = yield* preToolUse(call)
  const verdict = yield* afterHooks(call, hooked, context)
  if (verdict.kind === "end") return verdict.end
  const changedCall = { ...call, input: verdict.input }
  const judge = (input: unknown) => (input === call.input ? judged : judgedCall({ tool, input }, context, turn))
  const permit = yield* permission(changedCall, judge, hooked, unwritten)
  if (permit.kind === "end") return permit.end
  const ready = yield* (yield* BeforeRun)(permit.input)
  if ("end" in ready) return ready.end
  const runnable = yield* runnableOf(use, tool, permit.input)
  if (typeof runnable === "string") return runnable
  const input = runInput(tool, permit.input, context)
  const { note, unwritten: late, updates, extra } = permit
  const { workspace, root, sessionId } = turn
  const ruled = { workspace, root, sessionId, policy: () => withoutDenials(turn.policy(), updates) }
  const permitted = {
    ...context,
    rules: permit.approved ? shellRules(ruled, tool, true) : context.rules,
    files: fileRules(ruled, permit),
    closed: closedTo(ruled),
  }
  const asPermitted = { use, tool: runnable, input, ...(extra === undefined ? {} : { extra }) }
  return yield* execute({ call: asPermitted, context: permitted, note, unwritten: [...late, ...ready.events] })
})

/** The input that the tool runs with; `permitted` is the one that hooks and users saw, or wrote. */
const runInput = (tool: Tool, permitted: unknown, context: ToolContext): unknown => {
  const resolved = tool.resolve?.(permitted, context) ?? permitted
  return tool.enrich === undefined ? resolved : tool.enrich.strip(resolved, context)
}

/** The tool to run; when a client, a subagent or a skill executes the call, one whose `run` returns its outcome. Or a CallEnd. */
const runnableOf = (use: ToolUse, tool: Tool, input: unknown): Effect.Effect<Tool | CallEnd, never, CallServices> => {
  if (tool.bySkill === true) return runSkill(use, tool, input)
  if (tool.byAgent === true) return runAgent(use, tool, input)
  if (tool.byClient !== true) return Effect.succeed(tool)
  return Effect.map(clientRun(use, tool, input), (run) => run ?? "parked")
}

/** Runs a call that a person allowed to run again after its outcome became unknown. */
const runAllowed = Effect.fnUntraced(function* (
  call: Call,
  context: ToolContext,
  { askedAt, input: given }: Extract<Recovered, { kind: "allowed" }>,
): Effect.fn.Return<CallEnd, never, CallServices> {
  const { use, tool } = call
  const turn = yield* TurnContext
  const ledger = yield* ToolLedger
  // The answer is consumed before the call runs: after another crash the person is asked again.
  yield* ledger.start(use.id, tool.name, askedAt)
  const updated = given === undefined ? null : yield* decodeGiven(tool, given)
  if (updated?._tag === "Failure") {
    const note = { permission: { decision: "reject", source: "permission_updated_input_invalid" } } as const
    return yield* refuse(use, updated.failure.message, note)
  }
  const allowed = updated?.success ?? call.input
  const denial = lateDenial(judgedCall({ tool, input: allowed }, context, turn), turn.policy())
  if (denial !== null) return yield* refuse(use, denial.message, BY_RULE)
  const permitted = {
    ...context,
    rules: shellRules(turn, tool, true),
    files: fileRules(turn, { approved: true, bounds: null }),
  }
  const note = { permission: { decision: "accept", source: "user_temporary" } } as const
  const input = runInput(tool, allowed, context)
  return yield* execute({ call: { use, tool, input }, context: permitted, note })
})

const showPrinted =
  (log: Log["Service"], { id: turn, newUuid }: Turn, use: ToolUse) =>
  (printed: Printed): void => {
    if (!log.hasListeners()) return
    log.emit({ name: EventNames.toolPrinted, turn, payload: { uuid: newUuid(), tool_use_id: use.id, ...printed } })
  }

/** `hasAsk`: people were asked about this call. `ask`: asks a model, for the tool. */
const toolContext = (
  turn: Turn,
  use: ToolUse,
  tool: Tool,
  { hasAsk, ask }: Pick<ToolContext, "ask"> & { readonly hasAsk: boolean },
): ToolContext => ({
  workspace: turn.workspace,
  ...directories(turn),
  ...(turn.background === undefined ? {} : { background: turn.background }),
  ...(turn.background === undefined ? {} : { enter: turn.background.enter }),
  ...(turn.agent === undefined ? {} : { agentId: turn.agent.id }),
  ...(turn.resources === undefined ? {} : { resources: turn.resources }),
  ...(turn.progress === undefined ? {} : { progress: turn.progress }),
  ...skillsFor(turn),
  toolUseId: use.id,
  idempotencyKey: `${turn.sessionId}:${use.id}`,
  rules: shellRules(turn, tool, false),
  files: fileRules(turn, { approved: false, bounds: null }),
  knownFiles: turn.memory.knownFiles,
  todos: {
    read: () => turn.memory.todos,
    write: (todos) => {
      turn.memory.todos = todos
    },
  },
  tasks: { read: () => turn.memory.tasks, last: () => turn.memory.lastTask },
  planning: {
    on: hasAsk || turn.policy().mode === "plan",
    // The answer may already have set another mode.
    next: () => (turn.policy().mode === "plan" ? turn.modeBeforePlan() : turn.policy().mode),
    file: planFileOf(turn.root, turn.sessionId),
    proposed: isPlainObject(use.input) ? use.input["plan"] : undefined,
  },
  fetch: turn.web.fetch,
  closed: closedTo(turn),
  pages: turn.web.pages,
  ask,
  shellNetwork: turn.options.shell_network === true,
  shellEnv: turn.options.shell_env ?? {},
  signal: turn.signal,
})

/**
 * Checks each command of a script against the current policy, since an answer may add a rule while the script runs, also in
 * the background; and against the policy at its start, which applies to the whole script.
 */
const shellRules = (turn: Pick<Turn, "policy">, { name: toolName }: Tool, approved: boolean): ShellRules => {
  const began = turn.policy()
  return {
    command: (words) => {
      const command = { toolName, words, approved }
      const now = turn.policy()
      return refusedCommand(command, now) ?? (now === began ? null : refusedCommand(command, began))
    },
  }
}

const closedTo =
  ({ root, policy }: Pick<Turn, "root" | "policy">) =>
  (...urls: Parameters<ToolContext["closed"]>): boolean =>
    deniedUrls({ cwd: root, matchesGlob }, policy())(...urls)

/** Checks each file that the call uses against the policy and the workspace's links at that moment. */
const fileRules = (
  { workspace, root, sessionId, policy }: Pick<Turn, "workspace" | "root" | "sessionId" | "policy">,
  permit: { readonly approved: boolean; readonly bounds: Bounds },
): FileRules => {
  const { approved, bounds } = permit
  const realPath = (path: string) => namesOf(workspace, path).at(-1) ?? path
  const call = { cwd: root, matchesGlob, realPath, approved, bounds, planFile: planFileOf(root, sessionId) }
  return {
    refusal: (use, names, isByRule = false) => {
      const now = policy()
      const file = { ...call, ...(isByRule ? { bounds: null } : {}), use }
      return refusesNothing(file, now) ? null : refusedFile({ ...file, names: names() }, now)
    },
  }
}

const directories = (turn: Turn) => {
  const { cwd, root } = turn
  const recorded = turn.memory.cwd
  const inside = (path: string) => isInside(path, root, turn.policy())
  return { cwd, root, inside, ...(recorded === cwd ? {} : { lost: recorded }) }
}

/**
 * Calls PreToolUse hooks once per call and turn: after a crash or a parked turn the outcome is read from the log. When there
 * is no hook and the call only reads, the event is returned as `unwritten`, to be appended with the result.
 */
const preToolUse = Effect.fnUntraced(function* (
  call: Call,
): Effect.fn.Return<
  { readonly outcome: HookOutcome; readonly unwritten: ReadonlyArray<NewEvent> },
  never,
  CallServices
> {
  const { use, tool } = call
  const turn = yield* TurnContext
  const known = turn.memory.accounting.tally?.preToolUse.get(use.id)
  if (known !== undefined) return { outcome: known, unwritten: [] }
  const hooks = yield* Hooks
  const { outcome, events } = yield* fire("PreToolUse", hookFacts(call), use.id, {
    schema_fingerprint: toolFingerprint(tool),
  })
  if (!hooks.listens("PreToolUse") && tool.readOnly(call.input)) return { outcome, unwritten: events }
  const log = yield* Log
  yield* log.append(events)
  return { outcome, unwritten: [] }
})

type Verdict = { readonly kind: "go"; readonly input: unknown } | { readonly kind: "end"; readonly end: CallEnd }

/** Applies what PreToolUse hooks decide without the policy: a denial, a deferral, the end of the turn, or another input. */
const afterHooks = Effect.fnUntraced(function* (
  { use, tool, input }: Call,
  { permission: decided, stop, updatedInput, failures }: HookOutcome,
  context: ToolContext,
): Effect.fn.Return<Verdict, never, CallServices> {
  const rejected = {
    notExecuted: "permission-rule",
    permission: { decision: "reject", source: "hook", reason_type: "hook" },
  } as const
  if (decided?.behavior === "deny") {
    const text = `PreToolUse:${tool.name} hook error: ${decided.reason ?? "a hook denied this call"}`
    // As the official SDK: a failed hook that blocks the call is not reported as a denial.
    const note = failures.some((failure) => failure.blocks) ? {} : rejected
    const end = yield* append(use, errorOutcome(text), note)
    return { kind: "end", end }
  }
  if (stop !== null) {
    const text = `A PreToolUse hook ended the turn before this call ran${stop.reason === undefined ? "" : `: ${stop.reason}`}.`
    yield* append(use, errorOutcome(text), rejected)
    return { kind: "end", end: "halted" }
  }
  if (decided?.behavior === "defer") return { kind: "end", end: "deferred" }
  if (updatedInput === null) return { kind: "go", input }
  const changed = yield* decodeGiven(tool, updatedInput)
  if (changed._tag === "Success") {
    return { kind: "go", input: tool.resolve?.(changed.success, context) ?? changed.success }
  }
  const text = invalidInputText("PreToolUse", tool, changed.failure)
  return { kind: "end", end: yield* append(use, errorOutcome(text), rejected) }
})
