// Receives a tool; returns the same tool as a client's own call may run it.
import * as Effect from "effect/Effect"
import type { ToolErrorReason } from "../../schemas/sdk/tools/tool-error-reason.ts"
import { type Tool, ToolError } from "../../tools/tool.ts"

/** A tool of an MCP server gets this long; in a turn it may take longer. */
const MCP_CALL_MS = 120_000

/** The same tool for a call that was admitted during a turn: it does not run with an input that a hook made one of another kind. */
export const leavingFiles = (tool: Tool): Tool => ({
  ...tool,
  run: (input, context) =>
    tool.mcpServer !== undefined || tool.readOnly(input)
      ? tool.run(input, context)
      : Effect.fail(
          new ToolError({
            reason: "permission_denied",
            message: "A hook made this call one that changes files. Make that call itself.",
          }),
        ),
})

/**
 * The same tool, whose failures also go to `failed`; one of an MCP server ends in time, and gives its content alone. A call moves
 * no conversation.
 */
export const reporting = (tool: Tool, failed: (reason: ToolErrorReason) => void): Tool => {
  const { validate } = tool
  const reported = <A>(effect: Effect.Effect<A, ToolError>) =>
    Effect.tapError(effect, ({ reason }) => Effect.sync(() => failed(reason)))
  return {
    ...tool,
    decode: (input) => reported(tool.decode(input)),
    ...(validate === undefined ? {} : { validate: (input, context) => reported(validate(input, context)) }),
    run: (input, context) =>
      reported(
        Effect.map(
          tool.mcpServer === undefined ? tool.run(input, context) : inTime(tool.run(input, context)),
          ({ cwd: _cwd, extras: _extras, ...outcome }) => outcome,
        ),
      ),
  }
}

const inTime = <A>(effect: Effect.Effect<A, ToolError>): Effect.Effect<A, ToolError> =>
  Effect.timeoutOrElse(effect, {
    duration: MCP_CALL_MS,
    orElse: () =>
      Effect.fail(new ToolError({ reason: "timeout", message: `the tool gave no result within ${MCP_CALL_MS} ms` })),
  })
