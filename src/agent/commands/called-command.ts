// Receives a turn whose prompt calls a slash command; returns the command's expansion, and its settings for the turn.
// Invariant: the expansion is in the log before `system/init`, so that a turn that a crash cut off sends the same prompt.
import * as Effect from "effect/Effect"
import type { HookOutcome } from "../../hooks/outcome.ts"
import type { Block } from "../../schemas/sdk/messages/blocks.ts"
import type { CommandInvoked } from "../../schemas/log/command-events.ts"
import { EventNames, type NewEvent } from "../../schemas/log/events.ts"
import { textOf } from "../../schemas/json/text-field.ts"
import { fire, stamp } from "../calls/hook-events.ts"
import { localAnswerMessage } from "../messages/sdk-messages.ts"
import { type CallServices, TurnContext, type Turn } from "../ports.ts"
import { agentNamed } from "../subagents/definition.ts"
import type { Command, CommandFault, CommandSource } from "./command.ts"
import { type Invocation, invocationOf } from "./invocation.ts"
import type { ScriptSource } from "./script-calls.ts"
import { fillTemplate, type FilledTemplate, joinOutputs } from "./template.ts"

export interface CalledCommand {
  readonly command: Command
  readonly invocation: Invocation
}

/**
 * The command that the turn's prompt calls; null for every other prompt. An unknown `/name` is sent to the model. As the
 * official SDK: a prompt that requests no answer calls its command, too, and so does one that the client marks as synthetic.
 */
export const calledCommand = ({ prompt, origin, commands }: Turn): CalledCommand | null => {
  const invocation = origin?.kind === "task-notification" ? null : invocationOf(prompt)
  const command = invocation === null ? undefined : commands.find(invocation.name)
  return invocation === null || command === undefined ? null : { command, invocation }
}

/** The names of sources in the input of hooks. */
const SOURCE_NAMES: Readonly<Record<CommandSource, string>> = {
  builtin: "bundled",
  options: "flagSettings",
  stored: "userSettings",
  workspace: "projectSettings",
  skill: "projectSettings",
  mcp: "mcp",
}

/** The facts about a command's scripts, in the input of hooks. */
export const scriptSource = ({ name, source }: Pick<CommandInvoked, "name" | "source">): ScriptSource => ({
  command_name: name,
  // The source was logged by `invoke`.
  command_source: SOURCE_NAMES[source as CommandSource],
  invoked_by: "user",
})

/** True for a command that is answered without the model. */
export const isAnswered = (called: CalledCommand | null): boolean =>
  called !== null && ANSWERED.has(called.command.body.kind)

const ANSWERED: ReadonlySet<Command["body"]["kind"]> = new Set(["local", "change", "unavailable"])

/** Calls the UserPromptExpansion hooks of a command that expands to a prompt. */
export const expansionHooks = ({ command, invocation }: CalledCommand) => {
  const { name, args } = invocation
  return fire("UserPromptExpansion", {
    expansion_type: command.source === "mcp" ? "mcp_prompt" : "slash_command",
    command_name: command.name,
    command_args: args,
    command_source: SOURCE_NAMES[command.source],
    prompt: args === "" ? `/${name}` : `/${name} ${args}`,
  })
}

/** True when a hook blocked or stopped the prompt, which is then not expanded. */
export const isStopped = ({ block, stop }: HookOutcome): boolean => (block ?? stop) !== null

/** Expands the command to its prompt, its answer, or a template whose scripts must run first. */
export const invoke = Effect.fnUntraced(function* ({
  command,
  invocation,
}: CalledCommand): Effect.fn.Return<CommandInvoked, never, CallServices> {
  const { args, lead } = invocation
  const { body } = command
  const called = { name: command.name, arguments: args, source: command.source }
  // As the official SDK: blocks of the prompt before the command become part of the next prompt.
  const before = lead.length === 0 ? {} : { prompt: lead }
  if (body.kind === "local") return { ...called, answer: body.answer(args), local: true, ...before }
  if (body.kind === "change") return { ...called, answer: yield* body.make(args), local: true, ...before }
  if (body.kind === "unavailable") return { ...called, answer: body.answer, unavailable: true, ...before }
  const own = {
    ...(command.model === undefined || command.model === "inherit" ? {} : { model: command.model }),
    ...(command.effort === undefined ? {} : { effort: command.effort }),
  }
  const { agent } = command
  const fault = agent === undefined ? null : forkFault(yield* TurnContext, command.name, agent, lead)
  if (fault !== null) return { ...called, answer: fault }
  const allowed: CommandInvoked = {
    ...called,
    ...(agent === undefined ? own : { fork: { agent, ...own } }),
    ...(command.allowedTools === undefined ? {} : { allowed_tools: command.allowedTools }),
    ...(command.disallowedTools === undefined ? {} : { disallowed_tools: command.disallowedTools }),
  }
  const expanded = body.kind === "prompt" ? yield* body.expand(args) : filled(body, args)
  if ("fault" in expanded) return { ...called, answer: expanded.fault }
  if (!("scripts" in expanded)) return { ...allowed, prompt: promptOf(allowed, lead, expanded) }
  if (expanded.scripts.length > 0) return { ...allowed, template: expanded }
  return { ...allowed, prompt: promptOf(allowed, lead, [{ type: "text", text: joinOutputs(expanded, []) }]) }
})

/** Why a command can't run as a subagent. */
const forkFault = ({ agents }: Turn, command: string, agent: string, lead: PromptBlocks): string | null => {
  if (agentNamed(agents, agent) === undefined) {
    const known = agents.map(({ name }) => name).join(", ")
    return `/${command} runs as the agent ${agent}, which does not exist. The agents are: ${known}.`
  }
  return lead.every(({ type }) => type === "text")
    ? null
    : `/${command} runs as the agent ${agent}, which accepts only text. Leave the other content out.`
}

type PromptBlocks = ReadonlyArray<Block>

/** The prompt of an expanded command: blocks, or for a subagent the text alone. */
const promptOf = (held: CommandInvoked, lead: PromptBlocks, made: PromptBlocks): string | PromptBlocks =>
  held.fork === undefined
    ? [...named(held), ...lead, ...made]
    : [...lead, ...made].map(({ text }) => textOf(text)).join("\n\n")

/** The prompt of the turn's command, once its scripts have run. */
export const commandPrompt = (turn: Turn, text: string): string | PromptBlocks => {
  const { command } = turn.memory.accounting.tally ?? {}
  const lead = invocationOf(turn.prompt)?.lead ?? []
  const made = [{ type: "text", text }]
  return command == null ? [...lead, ...made] : promptOf(command, lead, made)
}

const filled = (
  { read }: Extract<Command["body"], { kind: "template" }>,
  args: string,
): FilledTemplate | CommandFault => {
  const template = read()
  return typeof template === "string" ? fillTemplate(template, args) : template
}

/** As the official SDK: informs the model which command of the workspace, or prompt of a server, was expanded. */
const named = (called: CommandInvoked) =>
  ["workspace", "skill", "mcp"].includes(called.source) ? [{ type: "text", text: header(called) }] : []

const header = ({ name, arguments: args }: CommandInvoked): string => {
  const shown = args === "" ? "" : `<command-args>${args}</command-args>\n`
  return `<command-message>${name}</command-message>\n<command-name>/${name}</command-name>\n${shown}`
}

/**
 * A command's prompt as the official SDK echoes it to clients: its name and arguments; null for one that is echoed as it was
 * written, such as that of a subagent.
 */
export const echoedCommand = (called: CommandInvoked): string | null =>
  called.fork === undefined && (called.local === true || named(called).length > 0) ? header(called).trimEnd() : null

/** The event of a command that was called, and its answer for clients, if it has one. */
export const invokedEvents = (turn: Turn, invoked: CommandInvoked) => {
  const events: ReadonlyArray<NewEvent> = [{ name: EventNames.commandInvoked, payload: invoked, turn: turn.id }]
  const { answer, local, name, arguments: args, unavailable } = invoked
  const run = local === true ? { command: name, args } : null
  const outcome = unavailable === true ? "unavailable_headless" : run === null ? "failed" : null
  return { events, answers: answer === undefined ? [] : [localAnswerMessage(stamp(turn), answer, run, outcome)] }
}
