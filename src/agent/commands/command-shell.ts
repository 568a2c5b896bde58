// Receives a turn whose command has scripts in its template; runs them and logs the prompt to which the command expands.
import * as Effect from "effect/Effect"
import { EventNames } from "../../schemas/log/events.ts"
import type { CallBatch, CallEnd } from "../calls/call-batch.ts"
import { batchedCall } from "../calls/tool-call.ts"
import { type CallServices, Log, TurnContext, type Turn } from "../ports.ts"
import { loadMentions } from "../project/load-mentions.ts"
import { commandPrompt, scriptSource } from "./called-command.ts"
import { runScriptCalls } from "./script-calls.ts"
import { joinOutputs } from "./template.ts"

/** True for a turn whose prompt waits for the scripts of its command. */
export const awaitsScripts = ({ memory }: Turn): boolean => memory.accounting.tally?.command?.template !== undefined

/** Runs the scripts that have not run yet; `done` when the prompt is in the log. */
export const runScripts = Effect.fnUntraced(function* (
  batch: CallBatch<CallServices>,
): Effect.fn.Return<CallEnd, never, CallServices> {
  const turn = yield* TurnContext
  const { tally } = turn.memory.accounting
  const command = tally?.command
  const template = command?.template
  if (tally === null || command == null || template === undefined || tally.expanded) return "done"
  const calls = template.scripts.map((script, index) => ({ id: `toolu_command_${index}_${turn.id}`, script }))
  const outputs = yield* runScriptCalls(calls, scriptSource(command), batch, batchedCall)
  if (typeof outputs === "string") return outputs
  const prompt = commandPrompt(turn, joinOutputs(template, outputs))
  // An `@` in the scripts' output is no mention.
  const mentions = command.fork === undefined ? yield* loadMentions(turn, template.texts.join("\n")) : []
  const log = yield* Log
  yield* log.append([...mentions, { name: EventNames.commandExpanded, payload: { prompt }, turn: turn.id }])
  return "done"
})
