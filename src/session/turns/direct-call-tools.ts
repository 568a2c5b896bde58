// Receives a tool; returns the tool in the form in which a client's own call may run it.
import * as Effect from "effect/Effect"
import type { ToolErrorReason } from "../../schemas/sdk/tools/tool-error-reason.ts"
import { type Tool, ToolError } from "../../tools/tool.ts"

/** How long a tool of an MCP server may take here; in a turn it may take longer. */
const MCP_CALL_MS = 120_000

/**
 * The tool for a call that was admitted because it changes no files: it fails if a hook has changed the input so that it
 * would.
 */
export const withoutFileChanges = (tool: Tool): Tool => ({
  ...tool,
  run: (input, context) =>
    tool.mcpServer !== undefined || tool.readOnly(input)
      ? tool.run(input, context)
      : Effect.fail(
          new ToolError({
            reason: "permission_denied",
            message: "A hook turned this call into one that changes files. Send that call instead.",
          }),
        ),
})

/**
 * The tool, with failures reported to `failed` and a time limit if it is an MCP server's, whose calls return only their
 * content. A call does not change the conversation's directory.
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
      Effect.fail(
        new ToolError({ reason: "timeout", message: `the tool returned no result within ${MCP_CALL_MS} ms` }),
      ),
  })
