// Receives a call that a client executes; returns the tool with a `run` that returns the client's posted result, or null
// when the turn has to park until there is one.
// Invariant: the client is asked once, and the first result counts; without a result in time, the call has failed.
import * as Effect from "effect/Effect"
import type { Tool, ToolOutcome } from "../../tools/tool.ts"
import { Asks, type CallServices, TurnContext } from "../ports.ts"
import type { ToolUse } from "../transcript/transcript.ts"

export const clientRun = Effect.fnUntraced(function* (
  use: ToolUse,
  tool: Tool,
  input: unknown,
): Effect.fn.Return<Tool | null, never, CallServices> {
  const asks = yield* Asks
  const turn = yield* TurnContext
  const known = asks.find(use.id, "client_tool")
  const requestId = known?.requestId ?? turn.newUuid()
  if (known === undefined) {
    const ask = {
      request_id: requestId,
      kind: "client_tool" as const,
      tool_name: tool.name,
      tool_use_id: use.id,
      // A tool_use that was decoded has an object as its input.
      input: input as Record<string, unknown>,
    }
    yield* asks.open(ask, [])
  }
  const settled = known?.answer ?? (yield* asks.wait(requestId))
  if (settled === null) return null
  return { ...tool, run: () => Effect.succeed(clientOutcome(settled.answer)) }
})

/** The outcome in the client's answer, which the session decoded as a ClientToolAnswer. */
const clientOutcome = (answer: Readonly<Record<string, unknown>>): ToolOutcome => {
  const { content, is_error } = answer as { readonly content: ToolOutcome["content"]; readonly is_error?: boolean }
  return {
    content,
    output: is_error === true && typeof content === "string" ? `Error: ${content}` : content,
    ...(is_error === true ? { isError: true } : {}),
  }
}
