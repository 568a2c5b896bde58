// Receives a call that hooks let through; returns whether it may run, asking a person where the policy says so.
// Invariant: nobody is asked twice about one call, and the first answer holds, whoever gave it.
import { Effect, Exit, Scope } from "effect"
import type { HookOutcome } from "../../hooks/outcome.ts"
import { decide, type Decision, type JudgedCall, questionFields } from "../../permissions/decide.ts"
import { type Reason, toldReason } from "../../permissions/reason.ts"
import { namesOf } from "../../workspace/touched-path.ts"
import { analyzeShell } from "../../shell/syntax/analysis.ts"
import { withNames } from "../../shell/syntax/links.ts"
import type { NewEvent } from "../../schemas/log/events.ts"
import type { Tool, ToolContext } from "../../tools/tool.ts"
import { compileGlob, GlobError } from "../../workspace/search/glob-pattern.ts"
import type { CallEnd } from "./call-batch.ts"
import { fire, hook, hookFacts, stamp } from "./hook-events.ts"
import { type AskAnswer, Asks, type CallServices, Hooks, Log, TurnContext, type Turn } from "../ports.ts"
import { append, refuse } from "./run-tool.ts"
import { type PermissionNote, systemMessage } from "../messages/sdk-messages.ts"
import type { ToolUse } from "../transcript/transcript.ts"

export const REJECTED_TEXT =
  "The user rejected this tool call, and it was not completed. Stop here and wait for what the user says next."

/** The same for clients. */
export const REJECTED_OUTPUT = "The user rejected this tool call"

/** A question that nobody answers for this long is told to Notification hooks. */
const NOTIFY_AFTER_MS = 6_000

export type Permit =
  | {
      readonly kind: "go"
      readonly input: unknown
      readonly note: { readonly permission: PermissionNote }
      /** True when a person or a PermissionRequest hook was asked about this call and allowed it. */
      readonly approved: boolean
      /** True when nothing allowed it but the files that it reads and writes. */
      readonly bounded: boolean
      /** Events of the call that are to be written with its result. */
      readonly unwritten: ReadonlyArray<NewEvent>
    }
  | { readonly kind: "end"; readonly end: CallEnd }

export const permission = Effect.fnUntraced(function* (
  use: ToolUse,
  tool: Tool,
  given: unknown,
  call: JudgedCall,
  hooked: HookOutcome,
  unwritten: ReadonlyArray<NewEvent>,
): Effect.fn.Return<Permit, never, CallServices> {
  const asks = yield* Asks
  const known = asks.find(use.id)
  // What a user is not shown, a user has not agreed to.
  const input = tool.question === undefined ? given : tool.question.shown(given)
  const asked = readable(use, tool, input)
  if (known !== undefined) {
    const answer = known.answer ?? (yield* asks.wait(known.requestId))
    return yield* answered(use, tool, asked, answer, known.place)
  }
  const turn = yield* TurnContext
  // As the official SDK: a hook that allows a question and gives the input for it answers in the user's place.
  const replied = verdictOf(hooked)?.behavior === "allow" && hooked.updatedInput !== null
  const decision = decide(replied ? { ...call, asksAlways: false } : call, turn.policy(), verdictOf(hooked))
  if (decision.behavior === "allow") {
    const { reason, bounded = false } = decision
    return { kind: "go", input: given, note: { permission: accepted(reason) }, approved: false, bounded, unwritten }
  }
  if (unwritten.length > 0) yield* (yield* Log).append(unwritten)
  if (decision.behavior === "deny") return yield* denied(use, tool, decision, hooked)
  if (turn.policy().prompts === "deny") {
    // As the official SDK: a question that a hook wanted is for people alone.
    const answer = decision.reason.type === "hook" ? null : yield* unasked(use, tool, input, decision)
    if (answer === null) return yield* denied(use, tool, decision, hooked)
    return yield* answered(use, tool, asked, answer, movedTo(tool, asked, turn), announced(turn, use, tool, answer))
  }
  const place = movedTo(tool, asked, turn)
  return yield* answered(use, tool, asked, yield* question(use, tool, input, decision), place)
})

/** Where nobody can be asked, a hook's refusal is an automatic one. */
const announced = (turn: Turn, use: ToolUse, tool: Tool, { answer }: AskAnswer): ReadonlyArray<NewEvent> => {
  if (answer["behavior"] === "allow" || answer["interrupt"] === true) return []
  const message = deniedMessage(answer)
  const fields = { tool_name: tool.name, tool_use_id: use.id, decision_reason_type: "hook", decision_reason: message }
  return [systemMessage(stamp(turn), "permission_denied", { ...fields, message })]
}

const deniedMessage = (answer: AskAnswer["answer"]): string => String(answer["message"] ?? "The permission was denied.")

const accepted = (reason: Reason): PermissionNote => ({
  decision: "accept",
  source: reason.type === "hook" ? "hook" : reason.answered === true ? "user_temporary" : "config",
  ...(reason.tacit === true ? {} : { reason_type: reason.type }),
})

const verdictOf = ({ permission: decided }: HookOutcome) =>
  decided === null || (decided.behavior !== "allow" && decided.behavior !== "ask")
    ? undefined
    : { behavior: decided.behavior, ...(decided.reason === undefined ? {} : { reason: decided.reason }) }

/** A call as the permission engine looks at it. */
export const judged = (
  tool: Tool,
  input: unknown,
  { cwd, root, planning, workspace }: Pick<ToolContext, "cwd" | "root" | "planning" | "workspace">,
) => {
  const command = (input as { command?: unknown } | null)?.command
  const paths = tool.paths(input, cwd, root).flatMap((path) => namesOf(workspace, path))
  return {
    toolName: tool.name,
    paths,
    // Rules and the modes speak of the session's own directory, wherever the conversation stands.
    cwd: root,
    matchesGlob,
    realPath: (path: string) => namesOf(workspace, path).at(-1) ?? path,
    readOnly: tool.readOnly(input),
    edits: tool.edits(input),
    internal: tool.internal === true,
    asksAlways: tool.question !== undefined,
    ownPlan: paths.length > 0 && paths.every((path) => path === planning.file),
    ...(tool.mcpServer === undefined ? {} : { mcpServer: tool.mcpServer.name }),
    ...(tool.subject === undefined ? {} : { subject: tool.subject(input) }),
    ...(tool.name === "Bash" && typeof command === "string"
      ? { command, shell: withNames(analyzeShell(command, cwd, root), workspace) }
      : {}),
  }
}

export const matchesGlob = (glob: string, path: string): boolean | null => {
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
  tool: Tool,
  decision: Exclude<Decision, { behavior: "allow" }>,
  hooked: HookOutcome,
): Effect.fn.Return<Permit, never, CallServices> {
  const turn = yield* TurnContext
  const { message, reason } = decision
  const facts = { tool_name: tool.name, tool_input: use.input, tool_use_id: use.id, reason: reason.text }
  const { events } = yield* fire("PermissionDenied", facts, use.id)
  const end = yield* append(
    use,
    { content: message, isError: true, output: `Error: ${message}` },
    decision.behavior === "deny"
      ? { notExecuted: "permission-rule", permission: overruledBy(decision, hooked) }
      : { notExecuted: "user-rejected", permission: { decision: "reject", source: "config" } },
    [
      // As the official SDK: a rule that overrules a hook's approval is not announced.
      ...(hooked.permission?.behavior === "allow" && decision.behavior === "deny"
        ? []
        : [
            systemMessage(stamp(turn), "permission_denied", {
              tool_name: tool.name,
              tool_use_id: use.id,
              ...toldReason(reason),
              message,
            }),
          ]),
      ...events,
    ],
  )
  return { kind: "end", end }
})

/** As the official SDK: a rule that overrules a hook's approval of a changed input counts as the hook's refusal. */
const overruledBy = (
  { reason }: Extract<Decision, { behavior: "deny" }>,
  { permission: decided, updatedInput }: HookOutcome,
): PermissionNote =>
  decided?.behavior === "allow" && updatedInput !== null
    ? { decision: "reject", source: "hook", reason_type: "hook" }
    : { decision: "reject", source: reason.answered === true ? "user_reject" : "config", reason_type: reason.type }

/** Asks clients and PermissionRequest hooks at the same time; the first answer holds. */
const question = Effect.fnUntraced(function* (
  use: ToolUse,
  tool: Tool,
  input: unknown,
  decision: Extract<Decision, { behavior: "ask" }>,
): Effect.fn.Return<AskAnswer | null, never, CallServices> {
  const turn = yield* TurnContext
  const asks = yield* Asks
  const hooks = yield* Hooks
  const requestId = turn.newUuid()
  const facts = requestFacts(use, tool, input, decision)
  const heard = hooks.listens("PermissionRequest")
  yield* asks.open(
    ask(turn, use, tool, requestId, input, decision),
    heard ? [] : [hook(turn, "PermissionRequest", facts)],
  )
  const scope = yield* Scope.make()
  if (heard) yield* Effect.forkIn(hookAnswers(use, requestId, facts), scope, { startImmediately: true })
  let notified = false
  const notifyOnce = Effect.suspend(() => {
    if (notified) return Effect.void
    notified = true
    return notify(use, tool)
  })
  yield* Effect.forkIn(Effect.andThen(Effect.sleep(NOTIFY_AFTER_MS), notifyOnce), scope, { startImmediately: true })
  const answer = yield* Effect.onExit(asks.wait(requestId), (exit) => Scope.close(scope, Exit.asVoid(exit)))
  if (answer === null) yield* notifyOnce
  return answer
})

/** What PermissionRequest hooks are told: the call, and what a person would be offered. */
const requestFacts = (
  use: ToolUse,
  tool: Tool,
  input: unknown,
  decision: Extract<Decision, { behavior: "ask" }>,
): Record<string, unknown> => {
  const { tool_use_id: _, ...call } = hookFacts(use, tool, input)
  const { suggestions } = fieldsOf(tool, decision)
  return { ...call, ...(suggestions === undefined ? {} : { permission_suggestions: suggestions }) }
}

/** Where nobody can be asked, hooks still can: their decision, or null. */
const unasked = Effect.fnUntraced(function* (
  use: ToolUse,
  tool: Tool,
  input: unknown,
  decision: Extract<Decision, { behavior: "ask" }>,
): Effect.fn.Return<AskAnswer | null, never, CallServices> {
  const log = yield* Log
  const facts = requestFacts(use, tool, input, decision)
  const { outcome, events } = yield* fire("PermissionRequest", facts, use.id)
  yield* log.append(events)
  return outcome.request === null ? null : { by: "hook", answer: outcome.request }
})

const ask = (
  turn: Turn,
  use: ToolUse,
  tool: Tool,
  requestId: string,
  input: unknown,
  decision: Extract<Decision, { behavior: "ask" }>,
) => ({
  request_id: requestId,
  kind: tool.question?.kind ?? ("permission" as const),
  tool_name: tool.name,
  tool_use_id: use.id,
  // A tool_use that was decoded has an object as its input.
  input: readable(use, tool, input) as Record<string, unknown>,
  ...(tool.question?.read === undefined ? {} : { told_input: input as Record<string, unknown> }),
  ...fieldsOf(tool, decision),
  ...(tool.mcpServer === undefined ? {} : { mcp_server: tool.mcpServer }),
  display_name: tool.display ?? tool.name,
  ...described(tool, input, turn),
  ...placed(movedTo(tool, readable(use, tool, input), turn)),
})

const placed = (place: string | undefined): { readonly place?: string } => (place === undefined ? {} : { place })

/** The one path that a call names; undefined for a script, and for a call that names none or several. */
const pathOf = (tool: Tool, input: unknown, { cwd, root }: Turn): string | undefined => {
  const paths = tool.name === "Bash" ? [] : tool.paths(input, cwd, root)
  return paths.length === 1 ? paths[0] : undefined
}

/** Where the file of a call really is, when that is not the path that the call names. */
const movedTo = (tool: Tool, input: unknown, turn: Turn): string | undefined => {
  const path = pathOf(tool, input, turn)
  const place = path === undefined ? undefined : namesOf(turn.workspace, path).at(-1)
  return place === path ? undefined : place
}

/** What a person who is asked reads. */
const readable = (use: ToolUse, tool: Tool, input: unknown): unknown =>
  // A tool_use that was decoded has an object as its input.
  tool.question?.read?.(input, use.input as Record<string, unknown>) ?? input

/** A question to the user is no matter of permissions: none are suggested. */
const fieldsOf = (
  tool: Tool,
  decision: Extract<Decision, { behavior: "ask" }>,
): Partial<ReturnType<typeof questionFields>> => {
  const { suggestions, ...fields } = questionFields(decision)
  return tool.question === undefined && suggestions !== undefined ? { ...fields, suggestions } : fields
}

/** What a person reads beside the tool's name: the call's own description, or the address or file that it is about. */
const described = (tool: Tool, input: unknown, { cwd, root }: Turn): { readonly description?: string } => {
  const said = (input as { description?: unknown } | null)?.description
  if (typeof said === "string") return { description: said }
  if (tool.subject !== undefined) return { description: tool.subject(input) }
  const [path] = tool.paths(input, cwd, root)
  if (path === undefined) return {}
  return { description: path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path }
}

const hookAnswers = Effect.fnUntraced(function* (
  use: ToolUse,
  requestId: string,
  facts: Readonly<Record<string, unknown>>,
): Effect.fn.Return<void, never, CallServices> {
  const log = yield* Log
  const asks = yield* Asks
  const turn = yield* TurnContext
  const { outcome, events } = yield* Effect.onInterrupt(fire("PermissionRequest", facts, use.id), () =>
    // A client was faster: the hooks were asked all the same.
    log.append([hook(turn, "PermissionRequest", facts)]),
  )
  yield* log.append(events)
  if (outcome.request !== null) yield* asks.settle(requestId, { by: "hook", answer: outcome.request })
})

const notify = Effect.fnUntraced(function* (use: ToolUse, tool: Tool): Effect.fn.Return<void, never, CallServices> {
  const log = yield* Log
  const { events } = yield* fire(
    "Notification",
    {
      message: `Permission is needed to use ${tool.name}`,
      notification_type: "permission_prompt",
    },
    use.id,
  )
  yield* log.append(events)
})

const answered = Effect.fnUntraced(function* (
  use: ToolUse,
  tool: Tool,
  input: unknown,
  settled: AskAnswer | null,
  place: string | undefined,
  before: ReadonlyArray<NewEvent> = [],
): Effect.fn.Return<Permit, never, CallServices> {
  if (settled === null) return { kind: "end", end: "parked" }
  const { by, answer } = settled
  if (answer["behavior"] === "allow") {
    const permission: PermissionNote =
      by === "hook"
        ? { decision: "accept", source: "hook", reason_type: "hook" }
        : { decision: "accept", source: "user_temporary" }
    const turn = yield* TurnContext
    const given = answer["updatedInput"]
    const updated = given === undefined ? null : yield* Effect.result(tool.decode(knownParameters(tool, given)))
    if (updated?._tag === "Failure") {
      const invalid = { permission: { decision: "reject", source: "permission_updated_input_invalid" } } as const
      return { kind: "end", end: yield* refuse(use, updated.failure.message, invalid) }
    }
    const allowed = updated?.success ?? input
    const path = pathOf(tool, allowed, turn)
    // What was allowed is a change of the file that was there, and not of what a link has put in its place.
    if (path !== undefined && path === pathOf(tool, input, turn) && movedTo(tool, allowed, turn) !== place) {
      const text = `${path} is another file now than when permission was asked for: a link has changed. Call the tool again.`
      return { kind: "end", end: yield* refuse(use, text, { permission: { decision: "reject", source: "config" } }) }
    }
    return { kind: "go", note: { permission }, approved: true, bounded: false, unwritten: [], input: allowed }
  }
  if (answer["interrupt"] === true) {
    const asks = yield* Asks
    // An ask that was settled so is refused together with what else is open, when the turn ends.
    if (asks.find(use.id) === undefined) {
      const rejected = { content: REJECTED_TEXT, isError: true, output: REJECTED_OUTPUT }
      yield* append(use, rejected, { notExecuted: "user-rejected", permission: REFUSALS[by] })
    }
    return { kind: "end", end: "stopped" }
  }
  const message = deniedMessage(answer)
  const result = { content: message, isError: true, output: `Error: ${message}` }
  const note = { notExecuted: "permission-rule", permission: REFUSALS[by] } as const
  return { kind: "end", end: yield* append(use, result, note, before) }
})

/** As the official SDK: an input that people or hooks give may hold more than the tool has parameters. */
export const knownParameters = ({ takes }: Tool, input: unknown): unknown =>
  takes === undefined || typeof input !== "object" || input === null || Array.isArray(input)
    ? input
    : Object.fromEntries(Object.entries(input).filter(([name]) => takes(name)))

/** Who refused a call that was asked about. */
const REFUSALS: Readonly<Record<AskAnswer["by"], PermissionNote>> = {
  client: { decision: "reject", source: "user_reject" },
  hook: { decision: "reject", source: "hook", reason_type: "hook" },
  expiry: { decision: "reject", source: "config" },
  interrupt: { decision: "reject", source: "user_reject" },
  failure: { decision: "reject", source: "config", reason_type: "other" },
}
