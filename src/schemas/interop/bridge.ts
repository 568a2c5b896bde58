// The MCP server `mechacoder`, through which a routed run and the app that routed it coordinate: its name, its tools' input,
// and the log event of each call.
import * as Schema from "effect/Schema"
import { described, Line, list, optional, text } from "../sdk/tools/tool-fields.ts"

export const BRIDGE = { name: "mechacoder", version: "1.0.0" } as const

const FilePath = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(4096))

export const SubtaskCompleteInput = Schema.Struct({
  summary: described(text(20_000), "What was done, in a few sentences."),
  filesModified: described(list(FilePath, 1000), "The files that were changed; empty when none was."),
})
export type SubtaskCompleteInput = typeof SubtaskCompleteInput.Type

export const RequestHelpInput = Schema.Struct({
  issue: described(Line.check(Schema.isMinLength(1)), "What is in the way, as a question."),
  suggestion: optional(Line, "What you would do."),
})
export type RequestHelpInput = typeof RequestHelpInput.Type

export const ReadProgressInput = Schema.Struct({})

export const BridgeTool = Schema.Literals(["subtask_complete", "request_help", "read_progress"])
export type BridgeTool = typeof BridgeTool.Type

/** `bridge:called`: a routed run called a tool of the server. */
export interface BridgeCalled {
  readonly tool: BridgeTool
  readonly tool_use_id: string
  readonly input: Readonly<Record<string, unknown>>
}
