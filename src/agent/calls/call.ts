// One tool call between the model's block and its result, as each stage passes it to the next.
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
  /** The decoded input of this stage: hooks and people may have changed the model's input. */
  readonly input: unknown
  /** Fields of a user's input that are no parameters of the tool: as in the official SDK, hooks see them once the call has run. */
  readonly extra?: Readonly<Record<string, unknown>>
}

/** The event that announces the call in the log, if its tool has one. */
export const announced = ({ use, tool, input }: Call, { id }: Pick<Turn, "id">): ReadonlyArray<NewEvent> =>
  tool.announces === undefined ? [] : [{ ...tool.announces(input, use.id), turn: id }]

/** Decodes an input from a person or a hook. As the official SDK: fields that are no parameters of the tool are ignored. */
export const decodeGiven = (tool: Tool, given: unknown): Effect.Effect<Result.Result<unknown, ToolError>> =>
  Effect.result(tool.decode(knownParameters(tool, given)))

/** The result of a call whose input a hook changed to an invalid one. */
export const invalidInputText = (event: string, { name }: Tool, { message }: ToolError): string =>
  `A ${event} hook changed the input of ${name} to an invalid one.\n${message}`

export const knownParameters = ({ hasParameter }: Tool, input: unknown): unknown =>
  hasParameter === undefined || !isPlainObject(input) ? input : fieldsThat(input, hasParameter)

export const unknownParameters = ({ hasParameter = () => true }: Tool, input: Readonly<Record<string, unknown>>) =>
  fieldsThat(input, (name) => !hasParameter(name))

const fieldsThat = (input: Readonly<Record<string, unknown>>, test: (name: string) => boolean) =>
  Object.fromEntries(Object.entries(input).filter(([name]) => test(name)))
