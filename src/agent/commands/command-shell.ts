// Receives a turn whose command has scripts in its template; runs them and writes the prompt that the command becomes.
// Invariant: each script is a Bash call to rules, hooks, asks and the ledger, and its outcome is written once, as
// `command:ran` and together with what it changed, so a crash runs no effect twice. None of it is in the conversation.
import * as Effect from "effect/Effect"
import type { CommandRan } from "../../schemas/log/command-events.ts"
import { EventNames, type NewEvent } from "../../schemas/log/events.ts"
import type { CallBatch, CallEnd } from "../calls/call-batch.ts"
import { batchedCall } from "../calls/tool-call.ts"
import { type CallServices, Log, TurnContext, type Turn } from "../ports.ts"
import { blocksOf } from "../transcript/transcript.ts"
import { commandPrompt } from "./called-command.ts"
import { joinOutputs } from "./template.ts"

/** True for a turn whose prompt waits for the scripts of its command. */
export const awaitsScripts = ({ memory }: Turn): boolean => memory.accounting.tally?.command?.template !== undefined

const DEFERRED = "Error: A hook put this script off, and a script of a command can't wait."

/** Runs what has not run yet; `done` when the prompt is written, or was. */
export const runScripts = (batch: CallBatch<CallServices>): Effect.Effect<CallEnd, never, CallServices> =>
  Effect.flatMap(TurnContext, (turn) => Effect.updateService(scripts(batch), Log, recording(turn)))

const scripts = Effect.fnUntraced(function* (
  batch: CallBatch<CallServices>,
): Effect.fn.Return<CallEnd, never, CallServices> {
  const turn = yield* TurnContext
  const log = yield* Log
  const { tally } = turn.memory.accounting
  const template = tally?.command?.template
  if (tally === null || template === undefined || tally.expanded) return "done"
  const ids = template.scripts.map((_, index) => callIdOf(turn, index))
  for (const [index, command] of template.scripts.entries()) {
    const id = ids[index] ?? ""
    if (tally.scripts.has(id)) continue
    yield* batch.add(yield* batchedCall({ id, name: "Bash", input: { command }, messageId: "" }))
  }
  const end = yield* batch.join
  if (end !== "done" && end !== "deferred") return end
  // What was written is in another memory when a transaction was rolled back meanwhile.
  const ran = turn.memory.accounting.tally?.scripts
  const outputs = ids.map((id) => ran?.get(id)?.text ?? DEFERRED)
  const prompt = commandPrompt(turn, joinOutputs(template, outputs))
  yield* log.append([{ name: EventNames.commandExpanded, payload: { prompt }, turn: turn.id }])
  return "done"
})

/** A name that the same script has after a crash. */
const callIdOf = ({ id }: Turn, index: number): string => `toolu_command_${index}_${id}`

/** The log, where the result of a script is no message. */
const recording =
  (turn: Turn) =>
  (log: Log["Service"]): Log["Service"] => ({
    ...log,
    append: (events, change) =>
      log.append(
        events.map((event) => recorded(turn, event)),
        change,
      ),
  })

const recorded = (turn: Turn, event: NewEvent): NewEvent => {
  if (event.name !== "sdk:user" || event.parent_tool_use_id !== null) return event
  const { message, tool_use_result: output, tool_result_meta: meta = [] } = event.payload
  const [block] = Array.isArray(message.content) ? message.content : []
  if (block?.type !== "tool_result") return event
  const failed = block.is_error === true
  const id = String(block.tool_use_id)
  const { scripts = [] } = turn.memory.accounting.tally?.command?.template ?? {}
  const payload: CommandRan = {
    tool_use_id: id,
    command: scripts.find((_, index) => callIdOf(turn, index) === id) ?? "",
    text: failed ? failureOf(textOf(block.content)) : outputOf(output, textOf(block.content)),
    ...(failed ? { is_error: true } : {}),
    ...(meta.some((one) => one.permission_decision?.decision === "reject") ? { denied: true } : {}),
  }
  return { name: EventNames.commandRan, payload, turn: event.turn ?? null }
}

const textOf = (content: unknown): string =>
  typeof content === "string"
    ? content
    : blocksOf(Array.isArray(content) ? content : [])
        .map((block) => String(block["text"] ?? ""))
        .join("\n")

const failureOf = (text: string): string =>
  `Error: ${text.replace(/^<tool_use_error>(?:Error: )?([\s\S]*)<\/tool_use_error>$/, "$1")}`

/** What a script printed: nothing where it printed nothing, and not the sentence that models get instead. */
const outputOf = (output: unknown, shown: string): string => {
  const { stdout, stderr } = (typeof output === "object" && output !== null ? output : {}) as {
    readonly stdout?: unknown
    readonly stderr?: unknown
  }
  return stdout === "" && stderr === "" ? "" : shown
}
