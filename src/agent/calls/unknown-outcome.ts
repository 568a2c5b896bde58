// Receives a call that was started before the session's object restarted, and has no result; returns what to do: end it with
// a result that says so, run it again, or use the result that a person reports.
// Invariant: a call is run again only if a person allows this very run, or if its policy is `retry` and either the tool is
// idempotent or the session's options name the tool or its server.
import * as Effect from "effect/Effect"
import { toolName } from "../../mcp/names.ts"
import type { AskOpened } from "../../schemas/log/ask-events.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"
import type { OutcomePolicy, UnknownOutcomes } from "../../schemas/sdk/options/unknown-outcomes.ts"
import { errorOutcome, type Tool, type ToolOutcome } from "../../tools/tool.ts"
import type { CallEnd } from "./call-batch.ts"
import { type AskAnswer, Asks, type CallServices, ToolLedger, TurnContext } from "../ports.ts"
import { append } from "./run-tool.ts"
import type { ToolUse } from "../transcript/transcript.ts"

const UNKNOWN_OUTCOME_TEXT =
  "The server stopped before the result of this call was recorded, so its outcome is unknown. Check whether it took effect before you rely on it or call it again."

const ASK_TEXT =
  "The server stopped while this call ran, so its outcome is unknown. Allow it to run it again, or deny it with a message for the model."

export type Recovered =
  | { readonly kind: "end"; readonly end: CallEnd }
  /** The call runs again; the outcomes of its hooks and its permission are read from the log. */
  | { readonly kind: "again" }
  /** A person who was asked at `askedAt` (milliseconds since 1970) allowed this one run, possibly with another input. */
  | { readonly kind: "allowed"; readonly askedAt: number; readonly input?: Readonly<Record<string, unknown>> }

export const recoverCall = Effect.fnUntraced(function* (
  use: ToolUse,
  tool: Tool,
): Effect.fn.Return<Recovered, never, CallServices> {
  const turn = yield* TurnContext
  switch (policyFor(tool, turn.options.unknown_outcomes)) {
    case "tell_model":
      return yield* unknown(use)
    case "retry":
      return { kind: "again" }
    case "ask_human":
      return turn.policy().prompts === "deny" ? yield* unknown(use) : yield* askHuman(use, tool)
  }
})

/** The tool's policy: its own, else its server's, else the session's. The session's `retry` applies only to idempotent tools. */
export const policyFor = (
  { name, mcpServer, idempotent }: Pick<Tool, "name" | "mcpServer" | "idempotent">,
  options: UnknownOutcomes | undefined,
): OutcomePolicy => {
  const { default: general = "tell_model", tools = {} } = typeof options === "object" ? options : { default: options }
  const server = mcpServer === undefined ? undefined : toolName(mcpServer.name, "").slice(0, -"__".length)
  const own = [name, server].find((key) => key !== undefined && Object.hasOwn(tools, key))
  if (own !== undefined) return tools[own] ?? "tell_model"
  return general === "retry" && !idempotent ? "tell_model" : general
}

const end = (run: Effect.Effect<CallEnd, never, CallServices>) =>
  Effect.map(run, (ended): Recovered => ({ kind: "end", end: ended }))

const failed = (use: ToolUse, text: string) => append(use, errorOutcome(text))

const unknown = (use: ToolUse) => end(failed(use, UNKNOWN_OUTCOME_TEXT))

const askHuman = Effect.fnUntraced(function* (
  use: ToolUse,
  tool: Tool,
): Effect.fn.Return<Recovered, never, CallServices> {
  const asks = yield* Asks
  const turn = yield* TurnContext
  const ledger = yield* ToolLedger
  const last = asks.find(use.id, "outcome")
  // An answer applies to the run before it: an answer that allowed another run says nothing about that run's outcome.
  const known = last !== undefined && last.openedAt >= ledger.startedAt(use.id) ? last : undefined
  const requestId = known?.requestId ?? turn.newUuid()
  if (known === undefined) yield* asks.open(question(use, tool, requestId), [])
  const settled = known?.answer ?? (yield* asks.wait(requestId))
  if (settled === null) return { kind: "end", end: "parked" }
  return yield* answered(use, settled, asks.find(use.id, "outcome")?.openedAt ?? turn.now())
})

const question = (use: ToolUse, tool: Tool, requestId: string): Omit<AskOpened, "expires_at"> => ({
  request_id: requestId,
  kind: "outcome",
  tool_name: tool.name,
  tool_use_id: use.id,
  // A tool_use that was decoded has an object as its input.
  input: use.input as Record<string, unknown>,
  decision_reason: ASK_TEXT,
  decision_reason_type: "other",
  display_name: tool.display ?? tool.name,
  ...(tool.mcpServer === undefined ? {} : { mcp_server: tool.mcpServer }),
})

/** What an answer means. The session decoded it as one of the forms of `outcome`. */
const answered = Effect.fnUntraced(function* (
  use: ToolUse,
  { by, answer }: AskAnswer,
  askedAt: number,
): Effect.fn.Return<Recovered, never, CallServices> {
  if (by === "expiry") return yield* unknown(use)
  switch (answer["behavior"]) {
    case "allow": {
      const input = answer["updatedInput"]
      return { kind: "allowed", askedAt, ...(isPlainObject(input) ? { input } : {}) }
    }
    case "result": {
      // Decoded when the client sent it.
      const content = answer["content"] as ToolOutcome["content"]
      const isError = answer["is_error"] === true
      const output = isError && typeof content === "string" ? `Error: ${content}` : content
      return yield* end(append(use, { content, output, ...(isError ? { isError } : {}) }))
    }
  }
  if (answer["interrupt"] !== true) return yield* end(failed(use, String(answer["message"] ?? UNKNOWN_OUTCOME_TEXT)))
  yield* failed(use, UNKNOWN_OUTCOME_TEXT)
  return { kind: "end", end: "stopped" }
})
