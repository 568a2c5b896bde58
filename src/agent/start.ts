// Receives a turn that has not started yet; calls the hooks of its prompt and appends its first events.
// Invariant: `system/init` is in the log before anything else that clients see of the turn.
import * as Effect from "effect/Effect"
import { encodeOutcome, type HookOutcome, NO_HOOKS } from "../hooks/outcome.ts"
import type { MessagesApi } from "../model/messages-api.ts"
import type { CommandInvoked } from "../schemas/log/command-events.ts"
import { reportedToolName } from "../schemas/sdk/tools/tool-names.ts"
import type { NewEvent } from "../schemas/log/events.ts"
import {
  type CalledCommand,
  calledCommand,
  expansionHooks,
  invoke,
  invokedEvents,
  isAnswered,
  isStopped,
} from "./commands/called-command.ts"
import { awaitsFirstRequest, isNearlyFull } from "./compaction/auto-compact.ts"
import { runClearCommand } from "./compaction/clear-command.ts"
import { runCompactCommand } from "./compaction/compact-command.ts"
import { isOverBudget, overBudget } from "./conclude.ts"
import { type Fired, fire, hook, informational, stamp } from "./calls/hook-events.ts"
import { type CallServices, Log, type Turn } from "./ports.ts"
import { isCallable } from "./turn-parts.ts"
import { isWhiteSpace, submitInput } from "./messages/prompt-text.ts"
import { refusalNotice, refusalOf } from "./messages/refused-prompt.ts"
import type { TurnEnd } from "./messages/result.ts"
import type { PromptEvent } from "./transcript/stopped-prompt.ts"
import { initMessage } from "./messages/sdk-messages.ts"
import { loadMentions } from "./project/load-mentions.ts"
import { beginProject } from "./project/begin-project.ts"
import { type LoadedSkills, loadSkills } from "./project/load-skills.ts"
import { agentNamed } from "./subagents/definition.ts"
import { modelOf } from "./step-request.ts"

/**
 * Starts a turn. Returns `finished` if its prompt is not sent to the model: the turn then has its result. `announce` sends clients
 * the status `requesting`.
 */
export const start = Effect.fnUntraced(function* (
  turn: Turn,
  announce: () => void,
): Effect.fn.Return<"begun" | "finished", never, CallServices | MessagesApi> {
  const events: Array<NewEvent> = []
  if (turn.startSource) {
    const began = yield* fire("SessionStart", { source: turn.startSource, model: modelOf(turn.options) })
    yield* retitle(turn, began.outcome)
    events.push(...began.events)
  }
  const project = yield* beginProject(turn)
  events.push(...project.before)
  const called = calledCommand(turn)
  const restarts = called?.command.body.kind === "local" ? called.command.body.restarts : undefined
  if (called !== null && restarts !== undefined) {
    const { args, lead } = called.invocation
    const begin = { before: events, init: () => init(turn, project.skills), after: project.after, lead }
    const run = restarts === "compact" ? runCompactCommand : runClearCommand
    yield* run(turn, args, begin)
    return yield* endAtStart(turn)
  }
  if (isBlankPrompt(turn)) {
    const notice = informational(turn, BLANK_PROMPT, { level: "warning" })
    yield* turn.begin([...events, init(turn, project.skills), ...project.after, notice], { sendsPrompt: false })
    return yield* endAtStart(turn)
  }
  // As the official SDK: when a UserPromptSubmit hook or the command in the prompt sets a model, it applies from the next turn on.
  const { model: named } = turn.options
  const model = named ?? modelOf(turn.options)
  const { record, messages, refused, invoked } = yield* submit(turn, called)
  const command = invoked === null ? { events: [], answers: [] } : invokedEvents(turn, invoked)
  const mentions = refused === null ? yield* loadMentions(turn, mentioningPrompt(turn, invoked)) : []
  events.push(...record, ...mentions, ...command.events)
  // A refused prompt has only its notice, without the hooks' messages.
  yield* turn.begin(
    [
      ...events,
      init(turn, project.skills, invoked?.model ?? model),
      ...project.after,
      ...(refused === null ? messages : refused),
      ...command.answers,
    ],
    {
      sendsPrompt: refused === null && invoked?.answer === undefined,
      ...(turn.options.model === named ? {} : { model }),
      // As the official SDK: the echo of a prompt follows `status: requesting`.
      ...(turn.needsNoAnswer || isOverBudget(turn) || faultOf(turn) !== null
        ? {}
        : {
            beforeEcho: () => {
              announce()
              return isNearlyFull(turn) && awaitsFirstRequest(turn) ? "later" : "now"
            },
          }),
    },
  )
  return yield* endAtStart(turn)
})

/** Gives the session the title that a hook returned. */
const retitle = Effect.fnUntraced(function* (
  turn: Turn,
  { sessionTitle }: HookOutcome,
): Effect.fn.Return<void, never, CallServices> {
  if (sessionTitle === undefined || turn.agent !== undefined) return
  const { events, commit } = turn.changeTitle(sessionTitle)
  if (events.length > 0) yield* (yield* Log).append(events, commit)
})

/**
 * The first events of a turn that ends before hooks have checked its prompt; none if the turn has started. As the official SDK:
 * a prompt that hooks have not checked never reaches the model. `skills` are those for `system/init`, if they are not to be read.
 */
export const unchecked = (turn: Turn, reason: string, skills?: LoadedSkills["names"]): ReadonlyArray<NewEvent> => {
  if (turn.memory.accounting.tally?.started === true) return []
  const fired = hook(turn, "UserPromptSubmit", submitInput(turn, turn.prompt))
  const outcome = encodeOutcome({ ...NO_HOOKS, block: { reason } })
  return [{ ...fired, payload: { ...fired.payload, outcome } }, init(turn, skills ?? loadSkills(turn).names)]
}

const BLANK_PROMPT = "The prompt is blank: it contains only white space, so nothing was sent to the model."

const isBlankPrompt = ({ agent, memory, prompt, needsNoAnswer }: Turn): boolean =>
  isWhiteSpace(prompt) && !needsNoAnswer && agent === undefined && (memory.accounting.tally?.requests ?? 0) === 0

/** The part of the prompt whose mentions are loaded now; those of a command with scripts are loaded after its scripts ran. */
const mentioningPrompt = (turn: Turn, invoked: CommandInvoked | null): Turn["prompt"] => {
  if (invoked === null) return turn.prompt
  return invoked.fork === undefined && invoked.source !== "mcp" ? (invoked.prompt ?? "") : ""
}

/** The outcome of the prompt's hooks and of the command that it calls. */
interface Submission {
  /** To be appended before `system/init`, so that the hooks' contexts come before the prompt. */
  readonly record: ReadonlyArray<NewEvent>
  /** Messages of hooks to clients, to be appended after `system/init`. */
  readonly messages: ReadonlyArray<NewEvent>
  /** The notice for clients that the prompt was refused. */
  readonly refused: ReadonlyArray<NewEvent> | null
  readonly invoked: CommandInvoked | null
}

/** Calls the hooks of the prompt, and expands the command that it calls. */
const submit = Effect.fnUntraced(function* (
  turn: Turn,
  called: CalledCommand | null,
): Effect.fn.Return<Submission, never, CallServices> {
  const expands = called !== null && !isAnswered(called)
  const isFork = called?.command.agent !== undefined
  // As the official SDK: for a prompt that is not sent to the model, the hooks of prompts are not called; for a command that runs
  // as a subagent, they are called after those of its expansion.
  const order: Array<PromptEvent> = expands ? ["UserPromptExpansion"] : []
  if (isFork) order.push("UserPromptSubmit")
  else if (!turn.needsNoAnswer && (called === null || expands)) order.unshift("UserPromptSubmit")
  const fired: Array<Fired> = []
  let by: PromptEvent = "UserPromptSubmit"
  for (const event of order) {
    by = event
    const expansion = event === "UserPromptExpansion" ? called : null
    const one = yield* expansion === null ? fire(event, submitInput(turn, turn.prompt)) : expansionHooks(expansion)
    if (expansion === null) yield* retitle(turn, one.outcome)
    fired.push(one)
    if (isStopped(one.outcome)) break
  }
  const refusal = refusalOf(turn.prompt, by, fired.at(-1)?.outcome ?? null)
  const sent = fired.map(({ events: [event, ...messages] }) => ({ event, messages }))
  return {
    record: sent.flatMap(({ event }) => (event === undefined ? [] : [event])),
    messages: sent.flatMap(({ messages }) => messages),
    refused: refusal === null ? null : [refusalNotice(turn, refusal)],
    invoked: called === null || refusal !== null ? null : yield* invoke(called),
  }
})

/** Ends a turn whose prompt is not sent to the model, also after a crash between its first events and its end. */
export const endAtStart = Effect.fnUntraced(function* (
  turn: Turn,
): Effect.fn.Return<"begun" | "finished", never, CallServices> {
  const finish = (end: TurnEnd) => Effect.as(turn.finish([], end), "finished" as const)
  const { tally } = turn.memory.accounting
  const refusal = refusalOf(turn.prompt, tally?.submittedBy ?? "UserPromptSubmit", tally?.submitted ?? null)
  if (refusal !== null)
    return yield* finish({ subtype: "success", terminalReason: null, result: refusal.text, numTurns: 0 })
  if (isBlankPrompt(turn)) {
    return yield* finish({ subtype: "success", terminalReason: null, result: BLANK_PROMPT, numTurns: 0 })
  }
  const command = tally?.command
  if (command?.answer !== undefined) {
    const local = command.local === true ? { localCommand: command.name } : {}
    return yield* finish({ subtype: "success", terminalReason: null, result: command.answer, numTurns: 0, ...local })
  }
  const fault = faultOf(turn)
  if (fault !== null)
    return yield* finish({ subtype: "error_during_execution", terminalReason: "turn_setup_failed", errors: [fault] })
  if (tally?.startTimedOut === true) {
    const errors = ["A SubagentStart hook did not respond in time, so the agent was stopped."]
    return yield* finish({ subtype: "error_during_execution", terminalReason: "aborted_streaming", errors })
  }
  const requests = tally?.requests ?? 0
  if (requests === 0 && isOverBudget(turn)) return yield* finish(overBudget(turn))
  if (turn.needsNoAnswer && command?.template === undefined && command?.fork === undefined)
    return yield* endWithoutAnswer(turn)
  return "begun"
})

/** Ends a turn whose prompt requests no answer: it is part of the conversation, and the model is not asked. */
export const endWithoutAnswer = (turn: Turn) =>
  Effect.as(turn.finish([], { subtype: "success", terminalReason: null, result: "", numTurns: 0 }), "finished" as const)

/** Why the turn can't ask the model. */
const faultOf = (turn: Turn): string | null => turn.fault ?? agentFault(turn)

/** Why the main thread can't run as the agent that the options name. */
const agentFault = ({ agent: subagent, agents, options: { agent: name } }: Turn): string | null => {
  // A subagent has the options of its parent's turn.
  if (name === undefined || subagent !== undefined) return null
  const agent = agentNamed(agents, name)
  if (agent === undefined) {
    const known = agents.map((one) => one.name).join(", ")
    return `options.agent: there is no agent ${JSON.stringify(name)}. The agents are: ${known}.`
  }
  return agent.initialPrompt === undefined
    ? null
    : `agents.${agent.name}.initialPrompt is not supported when the main thread runs as the agent. Put it into the prompt.`
}

const init = (turn: Turn, skills: ReadonlyArray<string>, model = turn.options.model): NewEvent =>
  initMessage(stamp(turn), {
    cwd: turn.cwd,
    originalCwd: turn.root,
    tools: turn.tools.filter((tool) => isCallable(turn, tool)).map((tool) => reportedToolName(tool.name)),
    model: modelOf(model === undefined ? turn.options : { ...turn.options, model }),
    betas: turn.options.betas,
    permissionMode: turn.policy().mode,
    skills,
    agents: turn.agents.map(({ name }) => name),
    slashCommands: turn.commands.names,
    apiKeySource: turn.apiKeySource,
    // As the CLI: the other properties of a server are in `mcp_status`.
    mcpServers: turn.mcpServers.map(({ name, status, source = "sdk" }) => ({ name, status, source })),
  })
