// Receives a turn of which nothing has happened yet; lets hooks see its prompt and writes its first events.
// Invariant: `system/init` is in the log before anything else that clients see of the turn.
import * as Effect from "effect/Effect"
import type { HookOutcome } from "../hooks/outcome.ts"
import type { NewEvent } from "../schemas/log/events.ts"
import { isOverBudget, overBudget } from "./conclude.ts"
import { fire, informational, stamp } from "./calls/hook-events.ts"
import type { CallServices, Turn } from "./ports.ts"
import { promptText } from "./messages/prompt-text.ts"
import type { TurnEnd } from "./messages/result.ts"
import { initMessage } from "./messages/sdk-messages.ts"
import { beginProject } from "./project/begin-project.ts"
import { modelOf } from "./step-request.ts"

/** `finished`: the prompt went no further, and the turn has its result. */
export const start = Effect.fnUntraced(function* (
  turn: Turn,
): Effect.fn.Return<"begun" | "finished", never, CallServices> {
  const events: Array<NewEvent> = []
  if (turn.first) {
    events.push(...(yield* fire("SessionStart", { source: turn.first, model: modelOf(turn.options) })).events)
  }
  const project = yield* beginProject(turn)
  events.push(...project.before)
  const prompt = promptText(turn.prompt)
  const submitted = turn.silent ? null : yield* fire("UserPromptSubmit", { prompt })
  // Messages of hooks to clients come after init; the event itself, with its contexts for the model, before the prompt.
  const [submission, ...messages] = submitted?.events ?? []
  if (submission !== undefined) events.push(submission)
  const refusal = submitted === null ? null : refusalOf(submitted.outcome, prompt)
  const notice =
    refusal === null
      ? []
      : [informational(turn, refusal.text, { level: "warning", prevent_continuation: true, ...refusal.fields })]
  // A prompt that goes no further has its notice alone.
  yield* turn.begin([
    ...events,
    init(turn, project.skills),
    ...project.after,
    ...(refusal === null ? messages : notice),
  ])
  return yield* endAtStart(turn, submitted?.outcome ?? null)
})

/** Ends a turn whose prompt goes no further, also when a crash came between its beginning and its end. */
export const endAtStart = Effect.fnUntraced(function* (
  turn: Turn,
  submitted: HookOutcome | null,
): Effect.fn.Return<"begun" | "finished", never, CallServices> {
  const finish = (end: TurnEnd) => Effect.as(turn.finish([], end), "finished" as const)
  const refusal = submitted === null ? null : refusalOf(submitted, promptText(turn.prompt))
  if (refusal !== null)
    return yield* finish({ subtype: "success", terminalReason: null, result: refusal.text, numTurns: 0 })
  const asked = turn.memory.accounting.tally?.requests ?? 0
  if (asked === 0 && isOverBudget(turn)) return yield* finish(overBudget(turn))
  if (turn.silent) return yield* finish({ subtype: "success", terminalReason: null, result: "", numTurns: 0 })
  return "begun"
})

const refusalOf = ({ block, stop, suppressOriginalPrompt, failures }: HookOutcome, prompt: string) => {
  if (block !== null && failures.some(({ blocks, kind }) => blocks && kind === "timeout")) {
    const outcome = { kind: "no_verdict", prompt_kept: false, no_verdict_kind: "callback_timed_out" }
    return { text: block.reason, fields: { prompt_submit_outcome: outcome } }
  }
  if (block !== null) {
    const { reason } = block
    const text = suppressOriginalPrompt === true ? reason : `${reason}\n\nOriginal prompt: ${prompt}`
    return { text, fields: { prompt_submit_outcome: { kind: "blocked_by_hook", prompt_kept: false, reason } } }
  }
  if (stop === null) return null
  const reason = stop.reason ?? "no reason was given"
  const text = `A UserPromptSubmit hook stopped the turn: ${reason}`
  return { text, fields: { prompt_submit_outcome: { kind: "stopped_by_hook", prompt_kept: true, reason } } }
}

const init = (turn: Turn, skills: ReadonlyArray<string>): NewEvent =>
  initMessage(stamp(turn), {
    cwd: turn.cwd,
    originalCwd: turn.root,
    tools: turn.tools.map((tool) => tool.name),
    model: modelOf(turn.options),
    permissionMode: turn.policy().mode,
    skills,
    agents: turn.agents.map(({ name }) => name),
    apiKeySource: turn.apiKeySource,
    // As the CLI: what else there is to know of a server, `mcp_status` says.
    mcpServers: turn.mcpServers.map(({ name, status, source = "sdk" }) => ({ name, status, source })),
  })
