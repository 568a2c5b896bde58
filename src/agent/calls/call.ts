// One tool call on its way from the model's block to its result, as each stage hands it to the next.
import * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import type { Tool, ToolError } from "../../tools/tool.ts"
import type { NewEvent } from "../../schemas/log/events.ts"
import type { Turn } from "../ports.ts"
import type { ToolUse } from "../transcript/transcript.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"

export interface Call {
  /** The model's block. */
  readonly use: ToolUse
  readonly tool: Tool
  /** The decoded input of this stage: hooks and people may have changed what the model wrote. */
  readonly input: unknown
}

/** The event of the log that the call is, where its tool has one. */
export const announced = ({ use, tool, input }: Call, { id }: Pick<Turn, "id">): ReadonlyArray<NewEvent> =>
  tool.announces === undefined ? [] : [{ ...tool.announces(input, use.id), turn: id }]

/** Decodes an input that a person or a hook gives. As the official SDK: it may hold more than the tool has parameters. */
export const decodeGiven = (tool: Tool, given: unknown): Effect.Effect<Result.Result<unknown, ToolError>> =>
  Effect.result(tool.decode(knownParameters(tool, given)))

const knownParameters = ({ takes }: Tool, input: unknown): unknown =>
  takes === undefined || !isPlainObject(input)
    ? input
    : Object.fromEntries(Object.entries(input).filter(([name]) => takes(name)))
