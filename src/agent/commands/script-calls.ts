// Receives the scripts of a command or a skill; runs them as Bash calls and returns the text that replaces each.
// Invariant: rules, hooks, asks and the ledger treat each script as a Bash call. Its outcome is committed once, as
// `command:ran` together with its changes, so that a crash repeats no effect. The conversation contains none of it.
import * as Effect from "effect/Effect"
import type { CommandRan } from "../../schemas/log/command-events.ts"
import { EventNames, type NewEvent } from "../../schemas/log/events.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"
import { errorOutcome } from "../../tools/tool.ts"
import { type BatchedCall, BeforeRun, type CallBatch, type CallEnd, type Ready } from "../calls/call-batch.ts"
import { fire, informational } from "../calls/hook-events.ts"
import { append } from "../calls/run-tool.ts"
import { type CallServices, Log, TurnContext } from "../ports.ts"
import { blocksIn } from "../../schemas/sdk/messages/blocks.ts"
import type { ToolUse } from "../transcript/transcript.ts"

/** Whose scripts they are: facts for PreSkillShellCommand hooks. */
export interface ScriptSource {
  readonly command_name: string
  readonly command_source: string
  readonly invoked_by: "user" | "claude"
}

export interface ScriptCall {
  /** The id of the script's call; the same after a crash. */
  readonly id: string
  readonly script: string
}

/** Prepares a call for its batch. */
export type MakeCall = (use: ToolUse) => Effect.Effect<BatchedCall<CallServices>, never, TurnContext>

const DEFERRED = "Error: A hook deferred this script, which can't be deferred."

/** The outputs, or how the calls ended without them. Scripts that ran before a crash are not run again. */
export const runScriptCalls = Effect.fnUntraced(function* (
  calls: ReadonlyArray<ScriptCall>,
  source: ScriptSource,
  batch: CallBatch<CallServices>,
  makeCall: MakeCall,
): Effect.fn.Return<ReadonlyArray<string> | Exclude<CallEnd, "done" | "deferred">, never, CallServices> {
  const turn = yield* TurnContext
  const ran = () => turn.memory.accounting.tally?.scripts
  const run = Effect.gen(function* () {
    const services = yield* Effect.context<CallServices>()
    for (const { id, script } of calls) {
      if (ran()?.has(id) === true) continue
      const use = { id, name: "Bash", input: { command: script }, messageId: "" }
      const call = yield* makeCall(use)
      const ready = (input: unknown) => Effect.provideContext(askHooks(use, input, source), services)
      yield* batch.add({ ...call, run: Effect.provideService(call.run, BeforeRun, ready) })
    }
    return yield* batch.join
  })
  const end = yield* Effect.updateService(run, Log, recording(calls))
  if (end !== "done" && end !== "deferred") return end
  // Read the tally again: after a rolled back transaction the turn's memory is another object.
  return calls.map(({ id }) => ran()?.get(id)?.text ?? DEFERRED)
})

/** Calls the PreSkillShellCommand hooks about the script that is about to run. One of them may refuse it, or end the turn. */
const askHooks = Effect.fnUntraced(function* (
  use: ToolUse,
  input: unknown,
  source: ScriptSource,
): Effect.fn.Return<Ready, never, CallServices> {
  const facts = { tool_name: use.name, tool_input: input, tool_use_id: use.id, ...source }
  const { outcome, events } = yield* fire("PreSkillShellCommand", facts, use.id)
  const { stop, block } = outcome
  if (stop === null && block === null) return { events }
  const reason = block?.reason ?? stop?.reason ?? "it gave no reason"
  const turn = yield* TurnContext
  const shown = informational(turn, `A script of ${source.command_name} was not run: ${reason}`, { level: "notice" })
  const refused = errorOutcome(`a hook refused this script: ${reason}`)
  const end = yield* append(use, refused, REFUSED, { before: events, after: [shown] })
  return { end: stop === null ? end : "halted" }
})

const REFUSED = {
  notExecuted: "permission-rule",
  permission: { decision: "reject", source: "hook", reason_type: "hook" },
} as const

/** The log, changed to record a script's result as `command:ran` instead of a message. */
const recording =
  (calls: ReadonlyArray<ScriptCall>) =>
  (log: Log["Service"]): Log["Service"] => ({
    ...log,
    append: (events, change) =>
      log.append(
        events.map((event) => recorded(calls, event)),
        change,
      ),
  })

const recorded = (calls: ReadonlyArray<ScriptCall>, event: NewEvent): NewEvent => {
  if (event.name !== "sdk:user" || event.parent_tool_use_id !== null) return event
  const { message, tool_use_result: output, tool_result_meta: meta = [] } = event.payload
  const [block] = Array.isArray(message.content) ? message.content : []
  const call = block?.type === "tool_result" ? calls.find(({ id }) => id === block.tool_use_id) : undefined
  if (block === undefined || call === undefined) return event
  const failed = block.is_error === true
  const payload: CommandRan = {
    tool_use_id: call.id,
    command: call.script,
    text: failed ? failureOf(textOf(block.content)) : outputOf(output, textOf(block.content)),
    ...(failed ? { is_error: true } : {}),
    ...(meta.some((one) => one.permission_decision?.decision === "reject") ? { denied: true } : {}),
  }
  return { name: EventNames.commandRan, payload, turn: event.turn ?? null }
}

const textOf = (content: unknown): string =>
  typeof content === "string"
    ? content
    : blocksIn(content)
        .map((block) => String(block["text"] ?? ""))
        .join("\n")

const failureOf = (text: string): string =>
  `Error: ${text.replace(/^<tool_use_error>(?:Error: )?([\s\S]*)<\/tool_use_error>$/, "$1")}`

/** A script's output. Empty when it printed nothing, without the sentence that models get instead. */
const outputOf = (output: unknown, shown: string): string => {
  const { stdout, stderr } = isPlainObject(output) ? output : {}
  return stdout === "" && stderr === "" ? "" : shown
}
