// Receives a call that the policy does not decide; asks clients and PermissionRequest hooks about it and returns the answer.
// Invariant: clients and hooks are asked at the same time, and the first answer counts, from a client or a hook.
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { HookOutcome } from "../../hooks/outcome.ts"
import { type Decision, questionFields } from "../../permissions/decide.ts"
import type { AskedApproval, AskOpened } from "../../schemas/log/ask-events.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"
import { type AskAnswer, Asks, type CallServices, Hooks, Log, type Turn, TurnContext } from "../ports.ts"
import { usableSkill } from "../project/skill-access.ts"
import { announced, type Call } from "./call.ts"
import { fire, hook, hookFacts } from "./hook-events.ts"
import { movedTo } from "./judged-call.ts"

/** Notification hooks are called when an ask has no answer after this long. */
const NOTIFY_AFTER_MS = 6_000

type Undecided = Extract<Decision, { behavior: "ask" }>

/** Asks clients and hooks; returns null when the turn has to park. `call` has the input that users are shown. */
export const askClients = Effect.fnUntraced(function* (
  call: Call,
  decision: Undecided,
  approval?: AskedApproval,
): Effect.fn.Return<AskAnswer | null, never, CallServices> {
  const turn = yield* TurnContext
  const asks = yield* Asks
  const hooks = yield* Hooks
  const requestId = turn.newUuid()
  const facts = requestFacts(call, decision)
  const hooked = hooks.listens("PermissionRequest")
  const opening = call.tool.question === undefined ? [] : announced(call, turn)
  const announcement = hooked ? opening : [...opening, hook(turn, "PermissionRequest", facts)]
  const ask = askOf(turn, call, requestId, decision)
  yield* asks.open(approval === undefined ? ask : { ...ask, approval }, announcement)
  const scope = yield* Scope.make()
  if (hooked) yield* Effect.forkIn(answerByHooks(call, requestId, facts), scope, { startImmediately: true })
  let notified = false
  const notifyOnce = Effect.suspend(() => {
    if (notified) return Effect.void
    notified = true
    return notify(call)
  })
  yield* Effect.forkIn(Effect.andThen(Effect.sleep(NOTIFY_AFTER_MS), notifyOnce), scope, { startImmediately: true })
  const answer = yield* Effect.onExit(asks.wait(requestId), (exit) => Scope.close(scope, Exit.asVoid(exit)))
  if (answer === null) yield* notifyOnce
  return answer
})

/** Asks only hooks, since no client can be asked: their decision, or null. Its permission updates apply from now on. */
export const askHooks = Effect.fnUntraced(function* (
  call: Call,
  decision: Undecided,
): Effect.fn.Return<AskAnswer | null, never, CallServices> {
  const log = yield* Log
  const turn = yield* TurnContext
  const { outcome, events } = yield* fire("PermissionRequest", requestFacts(call, decision), call.use.id)
  const isLate = outcome.failures.some(({ kind, blocks }) => blocks && kind === "timeout")
  // As the official SDK: a hook that does not answer in time denies only what a client could have allowed.
  const request = isLate ? null : decisionOf(call, outcome)
  const changed = turn.changePermissions(request?.behavior === "allow" ? (request.updatedPermissions ?? []) : [])
  yield* log.append([...events, ...changed.events], changed.commit)
  return request === null ? null : { by: "hook", answer: request }
})

/** The call with its input in the form that is shown to the person who is asked. */
const readable = (call: Call): Call => {
  const { use, tool, input } = call
  // A tool_use that was decoded has an object as its input.
  return { ...call, input: tool.question?.read?.(input, use.input as Record<string, unknown>) ?? input }
}

/** The input of PermissionRequest hooks: the call, and the suggestions that clients get. */
const requestFacts = (call: Call, decision: Undecided): Record<string, unknown> => {
  const { tool_use_id: _, ...facts } = hookFacts(call)
  const { suggestions } = fieldsOf(call, decision)
  return { ...facts, ...(suggestions === undefined ? {} : { permission_suggestions: suggestions }) }
}

const askOf = (turn: Turn, call: Call, requestId: string, decision: Undecided): Omit<AskOpened, "expires_at"> => {
  const { use, tool, input } = call
  const shown = readable(call)
  return {
    request_id: requestId,
    kind: tool.question?.kind ?? ("permission" as const),
    tool_name: tool.name,
    tool_use_id: use.id,
    // A tool_use that was decoded has an object as its input.
    input: shown.input as Record<string, unknown>,
    ...(tool.question?.read === undefined ? {} : { told_input: input as Record<string, unknown> }),
    ...fieldsOf(call, decision),
    ...(tool.mcpServer === undefined ? {} : { mcp_server: tool.mcpServer }),
    display_name: tool.display ?? tool.name,
    ...described(call, turn),
    ...placed(movedTo(shown, turn)),
  }
}

const placed = (place: string | undefined): { readonly place?: string } => (place === undefined ? {} : { place })

/** The question's fields. For a tool that itself asks the user, no permissions are suggested. */
const fieldsOf = ({ tool }: Call, decision: Undecided): Partial<ReturnType<typeof questionFields>> => {
  const { suggestions, ...fields } = questionFields(decision)
  return tool.question === undefined && suggestions !== undefined ? { ...fields, suggestions } : fields
}

/** The text next to the tool's name: the call's own or its skill's description, else its subject (such as a URL) or its file. */
const described = ({ tool, input }: Call, turn: Turn): { readonly description?: string } => {
  const { cwd, root } = turn
  const own = isPlainObject(input) ? input["description"] : undefined
  if (typeof own === "string") return { description: own }
  if (tool.subject !== undefined) {
    const subject = tool.subject(input)
    const skill = tool.bySkill === true ? usableSkill(turn, subject) : undefined
    return { description: skill?.description ?? subject }
  }
  const [path] = tool.paths(input, cwd, root)
  if (path === undefined) return {}
  return { description: path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path }
}

/**
 * The hooks' decision. As the official SDK: what a tool asks the user only the user can approve, unless the hook gives the
 * input with the answer; a denial counts.
 */
const decisionOf = ({ tool }: Call, { request }: HookOutcome): HookOutcome["request"] =>
  tool.question !== undefined && request?.behavior === "allow" && request.updatedInput === undefined ? null : request

const answerByHooks = Effect.fnUntraced(function* (
  call: Call,
  requestId: string,
  facts: Readonly<Record<string, unknown>>,
): Effect.fn.Return<void, never, CallServices> {
  const log = yield* Log
  const asks = yield* Asks
  const turn = yield* TurnContext
  const { outcome, events } = yield* Effect.onInterrupt(fire("PermissionRequest", facts, call.use.id), () =>
    // A client answered first: the hook event is logged all the same.
    log.append([hook(turn, "PermissionRequest", facts)]),
  )
  yield* log.append(events)
  const request = decisionOf(call, outcome)
  if (request !== null) yield* asks.settle(requestId, { by: "hook", answer: request })
})

const notify = Effect.fnUntraced(function* ({ use, tool }: Call): Effect.fn.Return<void, never, CallServices> {
  const log = yield* Log
  const message = `Permission is needed to use ${tool.name}`
  const { events } = yield* fire("Notification", { message, notification_type: "permission_prompt" }, use.id)
  yield* log.append(events)
})
