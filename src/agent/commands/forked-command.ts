// Receives a turn whose command runs as a subagent; runs the agent to its end and ends the turn with the agent's report.
// Invariant: as in the official SDK, the conversation's model is not asked; it gets the command and its answer with the next
// prompt.
import * as Effect from "effect/Effect"
import type { Content } from "../../schemas/sdk/messages/blocks.ts"
import { EventNames } from "../../schemas/log/events.ts"
import { ToolError } from "../../tools/tool.ts"
import { stamp } from "../calls/hook-events.ts"
import { type CallServices, Log, type Turn } from "../ports.ts"
import type { TurnEnd } from "../messages/result.ts"
import { localAnswerMessage } from "../messages/sdk-messages.ts"
import { runFork } from "../subagents/fork.ts"

/** True for a turn whose command runs as a subagent. */
export const isForked = ({ memory }: Turn): boolean => memory.accounting.tally?.command?.fork !== undefined

/** The turn's end with the agent's report; `parked` or `handed_over` while the agent has not ended. */
export const runForkedCommand = Effect.fnUntraced(function* (
  turn: Turn,
): Effect.fn.Return<TurnEnd | "parked" | "handed_over", never, CallServices> {
  const { tally } = turn.memory.accounting
  const command = tally?.command
  if (tally == null || command?.fork === undefined) return yield* Effect.die(new Error("the turn has no such command"))
  if (tally.commandAnswer !== null) return endOf(tally.commandAnswer)
  const { name, arguments: args, fork, prompt = "" } = command
  const ended = yield* runFork({
    ...fork,
    call: `forked-command-${turn.id}`,
    thread: `forked-command-${name}`,
    by: "prompt",
    description: `/${name}`,
    prompt: () => textOf(tally.expansion ?? prompt),
  })
  if (typeof ended === "string") return ended
  const isStopped = !(ended instanceof ToolError) && ended.status === "stopped"
  const answer = ended instanceof ToolError ? ended.message : isStopped ? "" : ended.report
  const call = args === "" ? `/${name}` : `/${name} ${args}`
  const log = yield* Log
  yield* log.append([
    {
      name: EventNames.commandAnswered,
      payload: isStopped ? { call, answer, stopped: true } : { call, answer },
      turn: turn.id,
    },
    // As the official SDK: an agent that a client stopped has no answer.
    ...(isStopped ? [] : [localAnswerMessage(stamp(turn), answer, { command: name, args })]),
  ])
  return endOf(answer)
})

/** The turn's end. As the official SDK: the report of an agent that failed is a successful answer, too. */
const endOf = (result: string): TurnEnd => ({
  subtype: "success",
  terminalReason: null,
  result,
  numTurns: 0,
  localCommand: "custom",
})

const textOf = (prompt: Content): string =>
  typeof prompt === "string" ? prompt : prompt.map(({ text }) => String(text ?? "")).join("\n\n")
